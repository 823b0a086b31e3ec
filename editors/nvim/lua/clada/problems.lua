--- What comes after an answer was carried out: one line, the list of what failed, the reports.

local config = require('clada.config')

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('clada')

M.reports = nil ---@type {text: string?, llm: string?}? The reports of the last answer.

--- The line that a hint names, else the first one.
local function line_of(action)
  local hint = action.hint or action.error or ''
  local line = hint:match('at lines? (%d+)') or hint:match('line (%d+)') or hint:match('\n%s*(%d+):')
  return tonumber(line) or 1
end

local function path_of(root, action)
  local path = action.params.path or action.params.old_path
  if type(path) == 'string' then
    return vim.startswith(path, '/') and path or root .. '/' .. path
  end
end

--- Puts a text into the clipboard, or where there is none into the unnamed register. Returns the register.
function M.copy(text)
  local register = vim.fn.has('clipboard') == 1 and '+' or '"'
  vim.fn.setreg(register, text)
  return register
end

--- Returns the entries of the quickfix list for a result.
function M.entries(flow, result)
  local entries = {}
  for _, action in ipairs(result.results) do
    local is_left_out = action.status == 'SKIP' and action.kind ~= 'not_delivered'
    if action.status ~= 'SUCCESS' and action.kind ~= 'answer_already_applied' then
      local path = path_of(flow.root, action)
      table.insert(entries, {
        filename = path,
        lnum = path and line_of(action) or 0,
        type = is_left_out and 'W' or action.status == 'SKIP' and 'W' or 'E',
        text = ('%s: %s'):format(action.kind or action.status, action.error or action.action),
        user_data = { declined = is_left_out and action.kind == 'skipped' },
      })
    end
  end
  for _, issue in ipairs(result.parseErrors or {}) do
    table.insert(entries, {
      bufnr = flow.buffer,
      lnum = flow.buffer and (issue.line or issue.blockStartLine) or 0,
      type = 'E',
      text = ('%s: %s%s'):format(issue.code or issue.errorType, issue.message,
        flow.buffer and '' or (' (line %s of the answer)'):format(issue.line or issue.blockStartLine or '?')),
    })
  end
  return entries
end

--- Tells how it went.
function M.show(flow, result)
  local count = { done = 0, failed = #(result.parseErrors or {}), left = 0, waits = 0, before = 0 }
  for _, action in ipairs(result.results) do
    local name = action.kind == 'answer_already_applied' and 'before'
      or action.status == 'SUCCESS' and 'done'
      or action.kind == 'not_delivered' and 'waits'
      or action.status == 'SKIP' and 'left'
      or 'failed'
    count[name] = count[name] + 1
  end
  M.reports = result.reports
  local parts = { count.done .. ' done' }
  for _, part in ipairs({ { 'failed', 'failed' }, { 'waits', 'not carried out' }, { 'left', 'left out' },
    { 'before', 'done before' } }) do
    if count[part[1]] > 0 then
      table.insert(parts, ('%d %s'):format(count[part[1]], part[2]))
    end
  end
  local line = 'clada: ' .. table.concat(parts, ', ')
  if count.done > 0 then
    line = line .. ' · undo: :Clada undo'
  end
  local is_bad = count.failed + count.waits > 0 or result.fatalError ~= nil
  if config.copy_report == 'always' or (config.copy_report == 'failures' and is_bad) then
    if result.reports and result.reports.llm then
      line = ('%s · the report for the model is in register %s'):format(line, M.copy(result.reports.llm))
    end
  end
  if result.fatalError then
    line = line .. '\n' .. result.fatalError
  end
  local entries = M.entries(flow, result)
  if config.quickfix ~= 'never' then
    M.list(vim.tbl_filter(function(entry)
      return not (entry.user_data and entry.user_data.declined)
    end, entries))
  end
  if config.diagnostics then
    M.diagnose(entries)
  end
  vim.notify(line, is_bad and vim.log.levels.WARN or vim.log.levels.INFO)
end

--- Fills the quickfix list, which stays closed and is not made for nothing; the cursor stays where it is.
function M.list(entries)
  local current = vim.fn.getqflist({ title = 0 }).title == 'clada'
  if #entries == 0 and not current then
    return
  end
  vim.fn.setqflist({}, current and 'r' or ' ', { title = 'clada', items = entries })
  if #entries > 0 and config.quickfix == 'open' then
    local window = vim.api.nvim_get_current_win()
    vim.cmd('botright copen ' .. math.min(#entries + 1, 8))
    vim.api.nvim_set_current_win(window)
  end
end

--- Shows what failed as diagnostics of the buffers that are loaded.
function M.diagnose(entries)
  vim.diagnostic.reset(NAMESPACE)
  local by_buffer = {}
  for _, entry in ipairs(entries) do
    local buffer = entry.bufnr or (entry.filename and vim.fn.bufadd(entry.filename)) or -1
    if buffer > 0 and vim.api.nvim_buf_is_loaded(buffer) and not (entry.user_data or {}).declined then
      by_buffer[buffer] = by_buffer[buffer] or {}
      local last = vim.api.nvim_buf_line_count(buffer)
      table.insert(by_buffer[buffer], {
        lnum = math.max(0, math.min(entry.lnum, last) - 1),
        col = 0,
        severity = entry.type == 'E' and vim.diagnostic.severity.ERROR or vim.diagnostic.severity.WARN,
        message = entry.text,
        source = 'clada',
      })
    end
  end
  for buffer, diagnostics in pairs(by_buffer) do
    vim.diagnostic.set(NAMESPACE, buffer, diagnostics)
  end
end

return M
