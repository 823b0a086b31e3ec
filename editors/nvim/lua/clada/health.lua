--- `:checkhealth clada`.

local config = require('clada.config')
local rpc = require('clada.rpc')

local M = {}

--- Waits for a request, for at most ten seconds: this is the one place that may wait.
local function call(method, params)
  local answered, err, result
  rpc.request(method, params, function(...)
    answered, err, result = true, ...
  end)
  vim.wait(10000, function()
    return answered
  end, 5)
  return not answered and { message = 'no answer within 10 s' } or err, result
end

local function program(name)
  local path = rpc.program(name)
  if not path then
    return vim.health.error(name .. ' was not found', 'Install clada, or name it with setup{}.')
  end
  local ran = vim.system({ path, '--version' }, { text = true }):wait(5000)
  local version = vim.trim(ran.stdout or ''):match('%d+%.%d+%.%d+') or '?'
  vim.health.ok(('%s %s (%s)'):format(name, version, path))
  return version
end

function M.check()
  local health = vim.health
  health.start('clada: programs')
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('Neovim 0.10 or later is needed')
  end
  local client, daemon = program(config.client), program(config.daemon)
  if client and daemon and client ~= daemon then
    health.warn(('client %s and daemon %s are of different versions'):format(client, daemon))
  end
  health.start('clada: daemon')
  local err, status = call('status')
  if err then
    health.error(err.message, err.data and err.data.hint)
  else
    local began = vim.uv.hrtime()
    call('status')
    local state = rpc.state()
    health.ok(('%s answers in %.1f ms'):format(state.socket or 'it', (vim.uv.hrtime() - began) / 1e6))
    health.info(('version %s, protocol %d, pid %s'):format(status.version, status.protocol, status.pid or '?'))
    if status.version ~= rpc.VERSION then
      health.info('this plugin is of version ' .. rpc.VERSION)
    end
    health.info('sandbox: ' .. (status.sandbox or 'not tried yet, no command has run'))
    health.info('log: ' .. (status.logFile or 'none'))
    for _, warning in ipairs(status.warnings) do
      health.warn(warning)
    end
  end
  health.start('clada: this buffer')
  -- The current one is already the report's.
  local path, reason = require('clada.buffers').place(math.max(vim.fn.bufnr('#'), 0))
  local failed, found = err, nil
  if path and not err then
    failed, found = call('project.root', { path = path })
  end
  if found then
    health.ok(('root %s: %s'):format(found.root, found.why))
  else
    health.warn(reason or failed.message, failed and failed.data and failed.data.hint)
  end
  local projects = found and select(2, call('project.list')) or { projects = {} }
  for _, project in ipairs(projects.projects or {}) do
    if project.root == found.root and project.degraded then
      health.warn('it is not watched: ' .. project.degraded)
    end
  end
  if vim.fn.has('clipboard') == 1 then
    health.ok('clipboard: register +')
  else
    health.warn('no clipboard provider: the unnamed register stands in', ':help clipboard-tool')
  end
  if vim.o.autoread then
    health.ok("'autoread' is on")
  else
    health.info("'autoread' is off: buffers do not follow what others do to their files")
  end
end

return M
