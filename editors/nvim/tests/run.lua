--- Runs the tests: nvim --headless -u NONE -l editors/nvim/tests/run.lua [WORD…]
---
--- Those that need a daemon take the programs from CLADA_CLIENT and CLADA_DAEMON, and are left out without them. Only
--- tests whose names hold one of the words run, if there are words.

local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2)))
package.path = here .. '/?.lua;' .. package.path
vim.opt.runtimepath:prepend(vim.fs.dirname(here))
vim.cmd('runtime plugin/clada.lua')
vim.o.swapfile, vim.o.shada = false, ''

local held = {}
local function copy(lines)
  held = lines
end
local function paste()
  return held
end
vim.g.clipboard = { name = 'test', copy = { ['+'] = copy, ['*'] = copy }, paste = { ['+'] = paste, ['*'] = paste } }

-- The path of a socket has about 100 bytes.
local temporary = #vim.uv.os_tmpdir() < 60 and vim.uv.os_tmpdir() or '/tmp'
T = { count = 0, notes = {}, here = here, top = vim.uv.fs_realpath(assert(vim.uv.fs_mkdtemp(temporary .. '/clada-nvim-XXXXXX'))) }
local failures = {}

function T.eq(found, expected, what)
  T.count = T.count + 1
  if not vim.deep_equal(found, expected) then
    error(('%s: expected %s, found %s'):format(what or 'not equal', vim.inspect(expected), vim.inspect(found)), 2)
  end
end

function T.has(text, part)
  T.count = T.count + 1
  if not text:find(part, 1, true) then
    error(('%s is not in: %s'):format(vim.inspect(part), text), 2)
  end
end

--- Waits until `condition` is true; it has a minute, so that only what never comes fails. Then no other test is run: as
--- a rule the daemon or the connection is lost, and each of them would wait as long.
T.patience = tonumber(vim.env.CLADA_NVIM_WAIT) or 60000
function T.wait(condition, what)
  T.count = T.count + 1
  if not vim.wait(T.patience, condition, 5) then
    T.lost = true
    error('never came: ' .. (what or '?') .. '\nnotes: ' .. table.concat(T.notes, '\n'), 2)
  end
end

--- Waits for a notice that holds `part`, and returns it.
function T.note(part)
  local found
  T.wait(function()
    found = vim.iter(T.notes):find(function(note) return note:find(part, 1, true) ~= nil end)
    return found
  end, 'a notice with ' .. part)
  return found
end

function T.keys(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'xt', false)
end

function T.write(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local file = assert(io.open(path, 'wb'))
  file:write(text)
  file:close()
end

function T.read(path)
  return require('clada.buffers').read(path)
end

vim.notify = function(message)
  table.insert(T.notes, message)
end

--- Runs a test in an editor as it was at first. `body` is given a function that takes what to do after it, also if it
--- fails.
function T.test(name, body)
  local words = vim.list_slice(arg, 1)
  if #words > 0 and not vim.iter(words):any(function(word) return name:find(word, 1, true) ~= nil end) then
    return
  elseif T.lost then
    return io.stdout:write(('not run: %s\n'):format(name))
  end
  T.notes = {}
  require('clada').setup({ client = vim.env.CLADA_CLIENT, daemon = vim.env.CLADA_DAEMON })
  vim.cmd('silent! tabonly! | silent! only! | silent! %bwipeout!')
  vim.fn.setreg('+', '')
  local began, last = vim.uv.hrtime(), nil
  local ok, message = xpcall(body, debug.traceback, function(work) last = work end)
  if last then
    last()
  end
  if not ok then
    table.insert(failures, name)
  end
  io.stdout:write(('%s %s (%.1f s)\n%s'):format(ok and 'ok  ' or 'FAIL', name, (vim.uv.hrtime() - began) / 1e9,
    ok and '' or message .. '\n'))
end

--- Moves the editor into a world of its own, whatever its environment says: nothing of the user's is read or written.
local function surround()
  local ours = { 'CLADA_CLIENT', 'CLADA_DAEMON', 'CLADA_REVIEW', 'CLADA_ALL', 'CLADA_NVIM_WAIT' }
  for name in pairs(vim.fn.environ()) do
    local is_setting = vim.startswith(name, 'CLADA_') or vim.startswith(name, 'XDG_') or vim.startswith(name, 'GIT_')
    if is_setting and not vim.list_contains(ours, name) then
      vim.env[name] = nil
    end
  end
  local folders = { HOME = 'home', XDG_CONFIG_HOME = 'config', XDG_STATE_HOME = 'state', XDG_RUNTIME_DIR = 'runtime', TMPDIR = 'tmp' }
  for name, folder in pairs(folders) do
    vim.fn.mkdir(T.top .. '/' .. folder, 'p', tonumber('700', 8))
    vim.env[name] = T.top .. '/' .. folder
  end
  -- A folder of the socket alone: other programs use that of the runtime, too.
  vim.fn.mkdir(T.top .. '/run', 'p', tonumber('700', 8))
  vim.env.CLADA_SOCKET = T.top .. '/run/s'
end

local ok, message = xpcall(function()
  surround()
  require('units')
  if vim.env.CLADA_CLIENT and vim.env.CLADA_DAEMON then
    require('daemon')
    require('hold')
  else
    io.stdout:write('skipped: tests with a daemon, since CLADA_CLIENT and CLADA_DAEMON name none\n')
  end
end, debug.traceback)
if not ok then
  table.insert(failures, message)
  io.stdout:write(message .. '\n')
end
T.patience = T.lost and 2000 or T.patience
if T.stop then
  pcall(T.stop)
end
vim.fn.delete(T.top, 'rf')
io.stdout:write(('%d checks, %d failed tests\n'):format(T.count, #failures))
vim.cmd(#failures == 0 and 'qa!' or 'cq!')
