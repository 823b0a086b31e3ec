// Bundles the extension: node build.js. With `package` it fetches the licences, too; with `test` it bundles its tests instead,
// beside a mock of the editor, and runs them; words after that go to node, as --test-name-pattern=WORD.
'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { buildSync } = require('esbuild');

const here = __dirname;
const options = { absWorkingDir: here, bundle: true, platform: 'node', target: 'node20', format: 'cjs', logLevel: 'warning' };

if (process.argv[2] !== 'test') {
  buildSync({ ...options, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js', external: ['vscode'], minify: true });
  if (process.argv[2] === 'package') {
    for (const name of ['LICENSE', 'LICENSE-APACHE', 'LICENSE-MIT']) {
      fs.copyFileSync(path.join(here, '../..', name), path.join(here, name));
    }
    fs.copyFileSync(require.resolve('vscode-jsonrpc/node').replace(/lib\/.*/, 'License.txt'), path.join(here, 'LICENSE-vscode-jsonrpc'));
  }
} else {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-vscode-build-'));
  try {
    const entryPoints = fs.readdirSync(path.join(here, 'tests')).filter((name) => name.endsWith('.test.ts')).map((name) => `tests/${name}`);
    buildSync({ ...options, entryPoints, outdir: folder, alias: { vscode: './tests/vscode.ts' }, sourcemap: 'inline' });
    const files = entryPoints.map((name) => path.join(folder, path.basename(name, '.ts') + '.js'));
    const ran = spawnSync(process.execPath, ['--enable-source-maps', '--test', '--test-concurrency=1', ...process.argv.slice(3), ...files],
      { stdio: 'inherit', env: { ...process.env, CLADA_EDITORS: path.dirname(here) } });
    process.exitCode = ran.status ?? 1;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}
