// Runs the extension in a real VS Code: node run.js INSTALL CHROMIUM TOP [DRIVER], with node 22 or later.
//
// INSTALL has code-server in its node_modules. The server listens on the loopback interface; a headless Chromium opens
// TOP/project, and the extension in DRIVER, beside ours, does what is to be tested. It writes TOP/results/done.json, and
// TOP/results/NAME.shot for a picture of the window, which is then NAME.png.
'use strict';
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { buildSync } = require('esbuild');

const [install, chromium, top, driver = path.join(__dirname, 'driver')] = process.argv.slice(2);
const ours = path.resolve(__dirname, '../..');
const results = path.join(top, 'results');
const data = path.join(top, 'data');
const extensions = path.join(top, 'extensions');
const started = [];

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function until(what, found) {
  const limit = process.env.CLADA_ALL ? 3_000_000 : 170_000;
  for (const began = Date.now(); Date.now() - began < limit; await sleep(100)) {
    const it = await found();
    if (it) {
      return it;
    }
  }
  throw new Error(`never came: ${what}`);
}

function start(program, words, log) {
  const out = fs.openSync(path.join(top, log), 'w');
  const child = spawn(program, words, { stdio: ['ignore', out, out], detached: true, env: { ...process.env, CLADA_RESULTS: results, CLADA_EDITORS: path.dirname(ours) } });
  started.push(child);
  return child;
}

function lay() {
  for (const folder of [results, path.join(data, 'User'), path.join(data, 'Machine'), path.join(extensions, 'clada.clada-0.1.0/dist')]) {
    fs.mkdirSync(folder, { recursive: true });
  }
  fs.mkdirSync(path.join(top, 'project/.git'), { recursive: true });
  for (const name of ['package.json', 'README.md', 'dist/extension.js']) {
    fs.copyFileSync(path.join(ours, name), path.join(extensions, 'clada.clada-0.1.0', name));
  }
  // It may share code with the tests on the mock.
  const [name] = fs.readdirSync(driver).filter((each) => each.endsWith('.js'));
  const target = path.join(extensions, 'clada-tests.driver-0.0.1');
  buildSync({ entryPoints: [path.join(driver, name)], outfile: path.join(target, name), bundle: true, platform: 'node', external: ['vscode'] });
  fs.copyFileSync(path.join(driver, 'package.json'), path.join(target, 'package.json'));
  const settings = {
    'clada.client': process.env.CLADA_CLIENT, 'clada.daemon': process.env.CLADA_DAEMON, 'files.autoSave': 'off',
    'workbench.startupEditor': 'none', 'workbench.colorTheme': 'Default Light Modern', 'window.commandCenter': false,
    'telemetry.telemetryLevel': 'off', 'update.mode': 'none', 'extensions.autoUpdate': false, 'extensions.autoCheckUpdates': false,
    'workbench.tips.enabled': false, 'chat.commandCenter.enabled': false, 'workbench.secondarySideBar.defaultVisibility': 'hidden',
  };
  for (const place of ['User', 'Machine']) {
    fs.writeFileSync(path.join(data, place, 'settings.json'), JSON.stringify(settings));
  }
}

/** A connection to the page of the browser. */
async function page(folder) {
  const port = await until('the browser', () => fs.existsSync(path.join(folder, 'DevToolsActivePort'))
    && fs.readFileSync(path.join(folder, 'DevToolsActivePort'), 'utf8').split('\n')[0]);
  const target = await until('its page', async () =>
    (await (await fetch(`http://127.0.0.1:${port}/json`)).json()).find(({ type }) => type === 'page'));
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }));
  let count = 0;
  const waiting = new Map();
  socket.onmessage = ({ data: text }) => {
    const { id, result } = JSON.parse(text);
    waiting.get(id)?.(result);
  };
  return (method, params = {}) => new Promise((resolve) => {
    waiting.set(++count, resolve);
    socket.send(JSON.stringify({ id: count, method, params }));
  });
}

async function main() {
  lay();
  const port = await new Promise((resolve) => {
    const probe = net.createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address();
      probe.close(() => resolve(free));
    });
  });
  start(process.execPath, [path.join(install, 'node_modules/code-server/out/node/entry.js'), '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`,
    '--disable-workspace-trust', '--disable-telemetry', '--disable-update-check', '--user-data-dir', data, '--extensions-dir', extensions], 'server.log');
  const address = `http://127.0.0.1:${port}/?folder=${encodeURIComponent(path.join(top, 'project'))}`;
  await until('the server', () => fetch(`http://127.0.0.1:${port}/healthz`).then((answer) => answer.ok, () => false));
  const profile = path.join(top, 'profile');
  start(chromium, ['--headless', '--no-sandbox', '--disable-gpu', '--window-size=1100,620', '--remote-debugging-port=0', `--user-data-dir=${profile}`,
    '--no-first-run', '--disable-background-networking', address], 'browser.log');
  const call = await page(profile);
  await call('Browser.grantPermissions', { permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] });
  await call('Emulation.setFocusEmulationEnabled', { enabled: true });
  await until('the end of the tests', async () => {
    for (const name of fs.readdirSync(results).filter((each) => each.endsWith('.shot'))) {
      const { data: picture } = await call('Page.captureScreenshot', { format: 'png' });
      fs.writeFileSync(path.join(results, name.replace('.shot', '.png')), Buffer.from(picture, 'base64'));
      fs.rmSync(path.join(results, name));
    }
    return fs.existsSync(path.join(results, 'done.json'));
  }).catch(async (error) => {
    const { data: picture } = await call('Page.captureScreenshot', { format: 'png' });
    fs.writeFileSync(path.join(top, 'failed.png'), Buffer.from(picture, 'base64'));
    throw error;
  });
  const done = JSON.parse(fs.readFileSync(path.join(results, 'done.json'), 'utf8'));
  console.log(done.map(({ name, error }) => `${error ? 'FAIL' : 'ok  '} ${name}${error ? `\n${error}` : ''}`).join('\n'));
  return done.length > 0 && done.every(({ error }) => !error);
}

main().then((isRight) => isRight, (error) => {
  console.log(String(error.stack));
  return false;
}).then(async (isRight) => {
  // Each is the first of its own group.
  for (const child of started.reverse()) {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
  process.exit(isRight ? 0 : 1);
});
