// Bundles the extension: node build.js. With `package` it fetches the licences, too; with `test` it bundles its tests instead,
// beside a mock of the editor, and runs them; words after that go to node, as --test-name-pattern=WORD. With
// `bench` or `together` they are the files of that folder, which are run as they are.
'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { buildSync } = require('esbuild');

const here = __dirname;
const options = { absWorkingDir: here, bundle: true, platform: 'node', target: 'node20', format: 'cjs', logLevel: 'warning' };

const kind = process.argv[2];
const isScript = kind === 'bench' || kind === 'together';
if (kind !== 'test' && !isScript) {
  buildSync({ ...options, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js', external: ['vscode'], minify: true });
  if (kind === 'package') {
    // A repository of the extension alone has them already.
    const top = path.join(here, '../..');
    for (const name of ['LICENSE', 'LICENSE-APACHE', 'LICENSE-MIT'].filter((each) => fs.existsSync(path.join(top, each)))) {
      fs.copyFileSync(path.join(top, name), path.join(here, name));
    }
    fs.copyFileSync(require.resolve('vscode-jsonrpc/node').replace(/lib\/.*/, 'License.txt'), path.join(here, 'LICENSE-vscode-jsonrpc'));
  }
} else {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-vscode-build-'));
  try {
    const [from, end] = isScript ? [`tests/${kind}`, '.ts'] : ['tests', '.test.ts'];
    const entryPoints = fs.readdirSync(path.join(here, from)).filter((name) => name.endsWith(end)).map((name) => `${from}/${name}`);
    buildSync({ ...options, entryPoints, outdir: folder, alias: { vscode: './tests/vscode.ts' }, sourcemap: 'inline' });
    const files = entryPoints.map((name) => path.join(folder, path.basename(name, '.ts') + '.js'));
    const runner = isScript ? [] : ['--test', '--test-concurrency=1'];
    const ran = spawnSync(process.execPath, ['--enable-source-maps', ...runner, ...process.argv.slice(3), ...files],
      { stdio: 'inherit', env: { ...process.env, CLADA_EDITORS: path.dirname(here) } });
    process.exitCode = ran.status ?? 1;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}
