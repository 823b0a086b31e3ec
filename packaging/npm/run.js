// Runs a program of clada: the one that npm installed for this platform. Terminal, signals and exit status are
// the program's own.
"use strict";

const { spawn } = require("child_process");
const { constants } = require("os");

module.exports = (name) => {
  const platform = `${process.platform}-${process.arch}`;
  let program;
  try {
    program = require.resolve(`@clada/${platform}/bin/${name}`);
  } catch {
    console.error(
      `clada: there is no package @clada/${platform}. Install again without --omit=optional; where clada has no package for this platform: cargo install clada`,
    );
    process.exit(1);
  }
  const given = process.argv.slice(2);
  if (typeof process.execve === "function") {
    // Node's own process becomes the program, where Node can do that.
    process.execve(program, [program, ...given], process.env);
  }
  const child = spawn(program, given, { stdio: "inherit" });
  // The terminal sends these to both; others that end Node are passed on.
  process.on("SIGINT", () => {});
  process.on("SIGQUIT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (error) => {
    console.error(`clada: ${program} cannot be run: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    process.exit(signal ? 128 + constants.signals[signal] : code);
  });
};
