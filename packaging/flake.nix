# clada for Nix: nix build 'git+file:.?dir=packaging', nix run 'git+file:.?dir=packaging' -- status
{
  description = "Carries out the edits in a language model's answer, safely and undoably";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = made: nixpkgs.lib.genAttrs systems (system: made nixpkgs.legacyPackages.${system});
      manifest = builtins.fromTOML (builtins.readFile ../Cargo.toml);
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "clada";
          version = manifest.workspace.package.version;
          src = ../.;
          cargoLock.lockFile = ../Cargo.lock;
          buildType = "dist";
          cargoBuildFlags = [ "-p" "clada" ];
          # The tests start daemons, sandboxes and editors; a build has none of that.
          doCheck = false;
          installPhase = ''
            runHook preInstall
            sh packaging/install --programs "$(dirname "$(find target -path '*dist/clada-daemon' | head -n 1)")" "$out"
            runHook postInstall
          '';
          meta = {
            description = "Carries out the edits in a language model's answer, safely and undoably";
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "clada";
            platforms = systems;
          };
        };
      });
    };
}
