--- clada in Neovim: the functions behind `:Clada`, and what a configuration calls.

local config = require('clada.config')
local rpc = require('clada.rpc')

local M = {}

local waiting = {} ---@type table<string, boolean> Ids of what waits for an approval.

local function tell(message, level)
  vim.notify('clada: ' .. message, level or vim.log.levels.INFO)
end

--- Takes settings; see |clada-settings|.
---@param settings table?
function M.setup(settings)
  config.set(settings or {})
end

local function root_of(options)
  if options and options.root then
    return vim.fs.normalize(vim.fn.fnamemodify(options.root, ':p')):gsub('(.)/$', '%1')
  end
  local root, reason = require('clada.root').of_buffer(0)
  if not root then
    tell(reason, vim.log.levels.ERROR)
  end
  return root
end

--- Runs `work(root)` in a coroutine, if there is a root.
local function in_root(options, work)
  local root = root_of(options)
  if root then
    rpc.run(work, root)
  end
end

--- Calls a method; shows its error and returns nothing then.
local function ask(method, params)
  local err, result = rpc.call(method, params)
  if err then
    require('clada.flow').tell_error(err)
  end
  return result
end

--- Opens a buffer of text that cannot be changed.
local function show(name, text, syntax)
  vim.cmd('botright new')
  local buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, '\n', { plain = true }))
  local bo = vim.bo[buffer]
  bo.buftype, bo.bufhidden, bo.swapfile, bo.syntax, bo.modifiable = 'nofile', 'wipe', false, syntax or '', false
  pcall(vim.api.nvim_buf_set_name, buffer, 'clada://' .. name)
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buffer, nowait = true, desc = 'clada: close' })
  return buffer
end

--- Text of a register, or nothing if there is no clipboard.
local function clipboard()
  local register = vim.fn.has('clipboard') == 1 and '+' or '"'
  local ok, text = pcall(vim.fn.getreg, register)
  return ok and text ~= '' and text or nil, register
end

--- Chooses the answer: what is given, the selection, the clipboard if it holds blocks, else the buffer.
local function answer_of(options, root)
  if options.text then
    return options.text, 'the given text'
  elseif options.range then
    local lines = vim.api.nvim_buf_get_lines(0, options.range[1] - 1, options.range[2], false)
    return table.concat(lines, '\n') .. '\n', ('lines %d-%d'):format(options.range[1], options.range[2])
  end
  local text, register = clipboard()
  if options.paste then
    return text, 'register ' .. register
  end
  local buffer = vim.api.nvim_get_current_buf()
  if text then
    local parsed = ask('parse', { text = text, root = root })
    if not parsed then
      return
    elseif parsed.summary.totalBlocks > 0 then
      return text, 'register ' .. register
    end
  end
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  return table.concat(lines, '\n') .. '\n', 'this buffer', buffer
end

--- Plans an answer and shows it for review, or applies it if that is asked for and nothing needs approval.
---@param options {text: string?, root: string?, range: integer[]?, paste: boolean?, review: boolean?, literal: boolean?}?
function M.apply(options)
  options = options or {}
  in_root(options, function(root)
    local text, source, buffer = answer_of(options, root)
    if not text then
      return source and tell(source .. ' is empty', vim.log.levels.WARN)
    end
    require('clada.flow').start({
      root = root,
      text = text,
      source = source,
      buffer = buffer,
      literal = options.literal,
      review = options.review == nil and config.review or options.review,
    })
  end)
end

--- The same with the clipboard, whatever it holds.
function M.paste(options)
  M.apply(vim.tbl_extend('force', options or {}, { paste = true }))
end

--- Shows the review that was left.
function M.review(options)
  local review = require('clada.review').get(options and options.root)
  if not review then
    return tell('there is nothing to review')
  end
  require('clada.review').show(review)
end

--- Undoes the last answer that this editor applied, or what is named.
---@param options {operation: string?, merge: boolean?, force: boolean?, root: string?}?
function M.undo(options)
  options = options or {}
  in_root(options, function(root)
    require('clada.flow').undo('undo', root, options.operation, { merge = options.merge, force = options.force })
  end)
end

--- Does again what was undone last.
function M.redo(options)
  options = options or {}
  in_root(options, function(root)
    require('clada.flow').undo('redo', root, options.operation)
  end)
end

--- Lists what was done in the project; <CR> shows an operation, u undoes it.
function M.history(options)
  in_root(options, function(root)
    local list = ask('history.list', { root = root, limit = 100 })
    if not list then
      return
    end
    local lines, ids = {}, {}
    for _, operation in ipairs(list.operations) do
      table.insert(ids, operation.operationId)
      table.insert(lines, ('%s  %s  %s%s'):format(operation.operationId,
        os.date('%Y-%m-%d %H:%M', math.floor(operation.beganMs / 1000)), (operation.summary:gsub('\n', ' ')),
        operation.undoneBy and '  (undone)' or ''))
    end
    local buffer = show('history', #lines > 0 and table.concat(lines, '\n') or 'nothing was done here yet')
    local function map(lhs, work, description)
      vim.keymap.set('n', lhs, function()
        local id = ids[vim.api.nvim_win_get_cursor(0)[1]]
        if id then
          rpc.run(work, id)
        end
      end, { buffer = buffer, nowait = true, desc = 'clada: ' .. description })
    end
    map('<CR>', function(id)
      local shown = ask('history.show', { root = root, operation = id, diff = true })
      if shown then
        show('operation/' .. id, shown.diff or 'it changed no text', 'diff')
      end
    end, 'show what it changed')
    map('u', function(id)
      require('clada.flow').undo('undo', root, id)
    end, 'undo it')
  end)
end

--- Shows the report of the last answer; `copy`: the one for the model goes to the clipboard.
function M.report(options)
  local problems = require('clada.problems')
  local reports = problems.reports
  if not reports then
    return tell('nothing was applied yet')
  elseif options and options.copy then
    return tell('the report for the model is in register ' .. problems.copy(reports.llm or ''))
  end
  show('report', reports.text or '')
end

--- Copies lines of this buffer with their place, in a fence that is longer than any in them.
local function embed_lines(root, range)
  local text = table.concat(vim.api.nvim_buf_get_lines(0, range[1] - 1, range[2], false), '\n')
  local fence = '```'
  while text:find(fence, 1, true) do
    fence = fence .. '`'
  end
  local path = vim.fs.normalize(vim.api.nvim_buf_get_name(0), { expand_env = false })
  path = vim.startswith(path, root .. '/') and path:sub(#root + 2) or path
  local place = ('%s:%d-%d'):format(path, range[1], range[2])
  local register = require('clada.problems').copy(('%s\n%s\n%s\n%s\n'):format(place, fence, text, fence))
  tell(('%s, in register %s'):format(place, register))
end

--- Makes one document for a prompt of files, folders or a selection, in the clipboard.
---@param options {paths: string[]?, range: integer[]?, root: string?}?
function M.embed(options)
  options = options or {}
  local name = vim.api.nvim_buf_get_name(0)
  in_root(options, function(root)
    if options.range and #(options.paths or {}) == 0 then
      return embed_lines(root, options.range)
    end
    local paths = #(options.paths or {}) > 0 and options.paths or { name }
    local buffers = require('clada.buffers')
    local params = { root = root, paths = paths, tokens = true }
    local overlays = buffers.overlays(buffers.documents(root))
    local can = rpc.state().hello and vim.tbl_contains(rpc.state().hello.features, 'embed.overlays')
    if can then
      params.overlays = #overlays > 0 and overlays or nil
    elseif #overlays > 0 then
      tell(('%d modified buffers are embedded as their files are'):format(#overlays), vim.log.levels.WARN)
    end
    local result = ask('embed', params)
    if result and result.document then
      local tokens = 0
      for _, file in ipairs(result.files) do
        tokens = tokens + (file.tokens or 0)
      end
      tell(('%d files, %d tokens, in register %s'):format(#result.files, tokens,
        require('clada.problems').copy(result.document)))
    elseif result then
      tell((result.errors[1] or {}).message or 'nothing could be embedded', vim.log.levels.WARN)
    end
  end)
end

--- Changes or lists the context of the project's session: `add`, `remove`, `list`, `prune`, `clear`.
---@param options {what: string?, paths: string[]?, root: string?}?
function M.context(options)
  options = options or {}
  local what = options.what or 'list'
  in_root(options, function(root)
    local paths = options.paths
    if what ~= 'add' and what ~= 'remove' then
      paths = nil
    elseif #(paths or {}) == 0 then
      paths = { vim.api.nvim_buf_get_name(0) }
    end
    local result = ask('context.' .. what, { root = root, paths = paths })
    if result then
      local names = vim.tbl_map(function(entry)
        return vim.fn.fnamemodify(entry.path, ':.')
      end, result.context)
      tell(('%d in the context%s'):format(#names, #names > 0 and ': ' .. table.concat(names, ', ') or ''))
    end
  end)
end

--- Stages what changed, under flat names in a folder.
function M.stage(options)
  in_root(options, function(root)
    local result = ask('stage', { root = root })
    if result then
      tell(('%d files in %s'):format(#result.copied, result.stagingDir or '(none)'))
    end
  end)
end

local clocks = {}

--- Lists the files that changed since it was called last, in the quickfix list.
function M.changes(options)
  in_root(options, function(root)
    local result = ask('project.changes', { root = root, since = clocks[root] })
    if not result then
      return
    end
    local first = clocks[root] == nil
    clocks[root] = result.clock
    if first then
      return tell('from here on `:Clada changes` lists what changes')
    end
    local items = vim.tbl_map(function(file)
      return { filename = root .. '/' .. file.path, text = file.kind, lnum = 1 }
    end, result.files)
    vim.fn.setqflist({}, ' ', { title = 'clada changes', items = items })
    tell(#items == 0 and 'nothing has changed' or ('%d files have changed; see :copen'):format(#items))
  end)
end

--- Shows what waits for an approval, in the daemon's words; `o` approves it once, `n` says no.
function M.approve(options)
  rpc.run(function()
    local list = ask('approval.list', { root = options and options.root })
    if not list then
      return
    end
    waiting = {}
    if #list.approvals == 0 then
      return tell('nothing waits for an approval')
    end
    local lines, ids = { '# o approves once what the cursor is on, n says no, q closes', '' }, {}
    local function add(id, text)
      for _, line in ipairs(vim.split(text, '\n', { plain = true })) do
        table.insert(lines, line)
        ids[#lines] = id
      end
    end
    for _, entry in ipairs(list.approvals) do
      waiting[entry.id] = true
      add(entry.id, ('@@ %s asks in %s @@'):format(entry.client or 'an agent', entry.root))
      for _, approval in ipairs(entry.approvals) do
        local what = approval.code or approval.command
        add(entry.id, what and ('run  %s\nin %s, by %s, sandbox: %s%s'):format(what, approval.dir or approval.path,
          approval.program or '?', approval.sandbox or '?', approval.network and ', with network' or '')
          or 'change ' .. approval.path)
        add(entry.id, approval.reason .. (approval.suspicious and '\nit holds hidden characters' or ''))
        add(entry.id, approval.change or '')
      end
      add(entry.id, entry.diff)
    end
    local buffer = show('approvals', table.concat(lines, '\n'), 'diff')
    vim.bo[buffer].filetype = 'clada-approvals'
    vim.bo[buffer].syntax = 'diff'
    for lhs, decision in pairs({ o = 'once', n = 'no' }) do
      vim.keymap.set('n', lhs, function()
        local id = ids[vim.api.nvim_win_get_cursor(0)[1]]
        return id and rpc.run(function()
          local result = ask('approval.answer', { id = id, decision = decision })
          if result then
            waiting[id] = nil
            tell(result.message or (result.askedAgain and 'it is another plan by now: `:Clada approve` shows it')
              or 'answered: ' .. decision)
          end
        end)
      end, { buffer = buffer, nowait = true, desc = 'clada: ' .. decision })
    end
  end)
end

--- Says how the daemon is.
function M.daemon_status()
  rpc.run(function()
    local status = ask('status')
    if status then
      tell(('daemon %s, pid %s, up %d min, %d projects, sandbox %s%s'):format(status.version, status.pid or '?',
        math.floor(status.uptimeMs / 60000), #status.projects, status.sandbox or 'not tried yet',
        #status.warnings > 0 and '\n' .. table.concat(status.warnings, '\n') or ''))
    end
  end)
end

--- Opens the daemon's log.
function M.log()
  rpc.run(function()
    local status = ask('status')
    if status and status.logFile then
      vim.cmd('botright sview + ' .. vim.fn.fnameescape(status.logFile))
    elseif status then
      tell('the daemon has no log')
    end
  end)
end

--- Ends the daemon and connects to a new one.
function M.restart()
  rpc.stop(true, function()
    vim.defer_fn(M.daemon_status, 200)
  end)
end

--- The state for a status line: nothing, what a review has accepted, what waits, or no daemon. Never blocks.
function M.status()
  local state = rpc.state()
  if next(waiting) then
    return 'clada !' .. vim.tbl_count(waiting)
  elseif state.used and not state.up then
    return 'clada ↯'
  end
  return package.loaded['clada.review'] and require('clada.review').status() or ''
end

--- Raises one notice for what an agent waits for: the daemon's text, with the exact command. It takes no key.
local function asked(event)
  if event.approvalId then
    waiting[event.approvalId] = true
    if config.notices then
      tell(('an agent asks in %s\n%s\n`:Clada approve` shows it and answers'):format(
        vim.fn.fnamemodify(event.root, ':~'), event.text or ''), vim.log.levels.WARN)
    end
  end
  vim.api.nvim_exec_autocmds('User', { pattern = 'CladaApproval', data = event, modeline = false })
end

rpc.on['event'] = function(event)
  if event.kind == 'approvalAsked' then
    asked(event)
  elseif event.kind == 'approvalAnswered' then
    waiting[event.approvalId or ''] = nil
  elseif event.kind == 'executed' or event.kind == 'undone' then
    require('clada.flow').on_event(event)
  end
end

--- What has waited since before the subscription raises no event any more.
rpc.on.subscribed = function(about)
  rpc.request('approval.list', { root = about.root }, function(err, list)
    for _, entry in ipairs(err and {} or list.approvals) do
      if not waiting[entry.id] then
        local what = vim.tbl_map(function(approval)
          return vim.fn.strtrans(approval.code or approval.command or ('change ' .. approval.path))
        end, entry.approvals)
        asked({
          approvalId = entry.id,
          root = entry.root,
          approvals = entry.approvals,
          text = table.concat(what, '\n'),
        })
      end
    end
  end)
end

rpc.on['execute.event'] = function(event)
  if event.kind == 'started' then
    tell(('task %s runs; <C-c> in the review stops it'):format(event.task))
  end
end

rpc.on['waiting'] = function()
  tell('waiting for another operation in the project')
end

--- What `:Clada` knows, and how the words after it become options.
M.commands = {
  apply = function(options, words, bang)
    options.literal = vim.tbl_contains(words, '--literal') or nil
    if bang then
      options.review = false
    end
    M.apply(options)
  end,
  paste = function(options, _, bang)
    if bang then
      options.review = false
    end
    M.paste(options)
  end,
  review = M.review,
  undo = function(options, words)
    for _, word in ipairs(words) do
      local flag = word:match('^%-%-(merge)$') or word:match('^%-%-(force)$')
      options[flag or 'operation'] = flag and true or word
    end
    M.undo(options)
  end,
  redo = function(options, words)
    options.operation = words[1]
    M.redo(options)
  end,
  history = M.history,
  report = function(_, _, bang)
    M.report({ copy = bang })
  end,
  embed = function(options, words)
    options.paths = vim.tbl_map(vim.fn.expand, words)
    M.embed(options)
  end,
  context = function(options, words)
    options.what = table.remove(words, 1)
    options.paths = vim.tbl_map(vim.fn.expand, words)
    M.context(options)
  end,
  stage = M.stage,
  changes = M.changes,
  approve = function()
    M.approve()
  end,
  status = M.daemon_status,
  log = M.log,
  restart = M.restart,
}

local WORDS = {
  apply = { '--literal' },
  undo = { '--merge', '--force' },
  context = { 'add', 'remove', 'list', 'prune', 'clear' },
}

--- Carries out `:Clada`.
function M.command(args)
  local words = vim.deepcopy(args.fargs)
  local name, bang = (table.remove(words, 1) or 'apply'):match('^(%l+)(!?)$')
  local command = M.commands[name or '']
  if not command then
    return tell(('%s is no command; there are %s'):format(args.fargs[1],
      table.concat(vim.fn.sort(vim.tbl_keys(M.commands)), ', ')), vim.log.levels.ERROR)
  end
  local options = args.range > 0 and { range = { args.line1, args.line2 } } or {}
  command(options, words, bang == '!' or args.bang)
end

--- Completes `:Clada`.
function M.complete(lead, line)
  local before = vim.split(line:sub(1, #line - #lead), '%s+', { trimempty = true })
  local name = before[2] and before[2]:gsub('!$', '')
  local candidates = WORDS[name] or {}
  if not name then
    candidates = vim.fn.sort(vim.tbl_keys(M.commands))
    table.insert(candidates, 2, 'apply!')
  elseif name == 'embed' or (name == 'context' and #before > 2) then
    return vim.fn.getcompletion(lead, 'file')
  end
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

return M
