--- The review of a plan: a buffer of hunks that are accepted or left out, and its keys.
---
--- One a root. It outlives its window. It changes no file and no other buffer.

local buffers = require('clada.buffers')
local config = require('clada.config')
local model_of = require('clada.model')
local render = require('clada.render')
local rpc = require('clada.rpc')

local M = {}

local tell = rpc.tell
local NAMESPACE = vim.api.nvim_create_namespace('clada.review')

---@class clada.Review
---@field flow clada.Flow
---@field model table
---@field buffer integer
---@field rows table[] What each line is about: its unit, file, hunk, and the line in the file.
---@field windows integer[] Those that were opened beside it, to show a place.
---@field from integer? The tab that it was opened from.
---@field cancel function? Of the request that is under way.
---@field running boolean?

local reviews = {} ---@type table<string, clada.Review>
local last ---@type string? The root of the review that was opened last.

--- The lines of a file as they are now.
local function lines_now(flow, file)
  local path = buffers.path(flow.root, file.oldPath or file.path)
  local document = flow.documents[path]
  if file.kind == 'create' then
    return {}
  elseif document and document.modified and vim.api.nvim_buf_is_loaded(document.buffer) then
    return vim.api.nvim_buf_get_lines(document.buffer, 0, -1, false)
  end
  local stat = vim.uv.fs_stat(path)
  return vim.split(stat and stat.type == 'file' and buffers.read(path) or '', '\n', { plain = true })
end

--- The sign of a line: of what it decides about, of all hunks on the line of their file.
local function sign_of(row)
  local units = row.head and { row.unit } or row.fold and row.file.units or {}
  local sign = row.sign and row.unit and row.unit.accepted and 'accepted' or row.sign
  for _, unit in ipairs(row.sign and {} or units) do
    local waits = not unit.declined and (#unit.approvals > 0 or unit.blocked)
    local left_out = unit.proposal and not unit.declined and 'proposed' or 'left_out'
    sign = unit.accepted and 'accepted' or sign == 'accepted' and sign or waits and 'waits' or sign or left_out
  end
  return sign
end

local HIGHLIGHTS = { accepted = 'Added', left_out = 'Comment', waits = 'WarningMsg', proposed = 'Changed' }

--- Shows what is accepted: the first line and the signs. The rest of the buffer never changes.
local function refresh(review)
  local buffer = review.buffer
  local accepted, all = model_of.count(review.model)
  local failed = review.model.plan.review.failed
  local undecided = model_of.undecided(review.model)
  local head = ('# clada: %d of %d changes accepted%s%s · %s · %s'):format(accepted, all,
    undecided > 0 and ', ' .. rpc.plural(undecided, 'proposal') .. ' to decide' or '',
    failed > 0 and (', %d failed'):format(failed) or '', review.flow.source, vim.fn.fnamemodify(review.flow.root, ':~'))
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, 1, false, { (head:gsub('\n', ' ')) })
  vim.bo[buffer].modifiable, vim.bo[buffer].modified = false, false
  vim.api.nvim_buf_clear_namespace(buffer, NAMESPACE, 0, -1)
  for index, row in ipairs(review.rows) do
    local sign = sign_of(row)
    if row.hidden then
      -- At the end of the text, of which it covers nothing.
      local column = #vim.api.nvim_buf_get_lines(buffer, index - 1, index, false)[1]
      vim.api.nvim_buf_set_extmark(buffer, NAMESPACE, index - 1, column, {
        virt_text = { { ' ← hidden characters', 'WarningMsg' } },
        virt_text_pos = 'inline',
      })
    end
    if sign then
      vim.api.nvim_buf_set_extmark(buffer, NAMESPACE, index - 1, 0, {
        sign_text = config.signs[sign],
        sign_hl_group = HIGHLIGHTS[sign],
        line_hl_group = (row.fold and 'Title') or (row.sign and 'WarningMsg') or nil,
      })
    end
  end
  vim.cmd.redrawstatus({ bang = true })
  require('clada.inline').refresh(review)
end

M.refresh = refresh

--- Folds the lines of each file below it, all open. An expression would be asked about every line, several times.
local function fold(review)
  for _, window in ipairs(vim.fn.win_findbuf(review.buffer)) do
    vim.api.nvim_win_call(window, function()
      vim.cmd('silent! normal! zE')
      local last = #review.rows
      for at = last, 1, -1 do
        if review.rows[at].fold then
          vim.cmd(('%d,%dfold'):format(at, last))
        end
        last = (review.rows[at].fold or not review.rows[at].file) and at - 1 or last
      end
      vim.cmd('silent! normal! zR')
    end)
  end
end

--- Returns the review of a root, or the last one.
function M.get(root)
  return reviews[root or last or '']
end

local function row_here(review)
  return review.rows[vim.api.nvim_win_get_cursor(0)[1]] or {}
end

--- Goes to the next line that is decided about, or the one before, but to no other hunk of `unit`.
local function go(review, step, only_hunks, unit)
  local at = vim.api.nvim_win_get_cursor(0)[1] + step
  while review.rows[at] do
    local row = review.rows[at]
    if row.head and (not only_hunks or row.hunk) and (not unit or row.unit ~= unit) then
      vim.api.nvim_win_set_cursor(0, { at, 0 })
      return vim.cmd('normal! zv')
    end
    at = at + step
  end
end

--- Accepts what the line is about, or leaves it out, and goes on. On the line of a file that is all of it.
local function decide(review, accepted)
  local row, at = row_here(review), vim.api.nvim_win_get_cursor(0)[1]
  local is_file = row.fold and not row.head
  local units = is_file and row.file.units or { row.unit }
  for _, unit in ipairs(units) do
    local reason = model_of.set(unit, accepted)
    if reason then
      tell(reason)
    end
  end
  refresh(review)
  while is_file and review.rows[at + 1] and review.rows[at + 1].file == row.file do
    at = at + 1
  end
  if is_file and review.rows[at + 1] then
    vim.api.nvim_win_set_cursor(0, { at + 1, 0 })
  elseif row.unit then
    -- What goes together is decided about: its next hunk, answered by habit, would turn that over.
    go(review, 1, false, row.unit)
  end
end

--- Accepts this and all that comes after it, but for what needs approval or is only proposed.
local function accept_rest(review)
  for at = vim.api.nvim_win_get_cursor(0)[1], #review.rows do
    local unit = review.rows[at].unit
    if unit and #unit.approvals == 0 and not unit.proposal then
      model_of.set(unit, true)
    end
  end
  refresh(review)
end

--- Returns the buffer of the file of a line, loaded, and the line there; nothing if it is not there or leads out of
--- the root.
local function target(review, row)
  local file = row.file and row.file.file
  local place = row.note and row.note.place
  local name = file and (file.oldPath or file.path) or place and place.path
  local path = name and buffers.path(review.flow.root, name)
  if not path or not vim.startswith(path, buffers.canonical(review.flow.root) .. '/') then
    return
  end
  local known, line = review.flow.documents[path], row.line or place and place.line or 0
  if known and vim.api.nvim_buf_is_loaded(known.buffer) then
    return known.buffer, line
  elseif not vim.uv.fs_stat(path) then
    return tell(('%s is not there yet'):format(name))
  end
  local buffer = vim.fn.bufadd(vim.fn.fnamemodify(path, ':.'))
  vim.fn.bufload(buffer)
  return buffer, line
end

--- Returns a window that shows `buffer`, not the one of the review; and true if it is a new one.
local function window_for(review, buffer)
  local here = vim.api.nvim_get_current_win()
  local windows = vim.api.nvim_tabpage_list_wins(0)
  for _, wanted in ipairs({ buffer, false }) do
    for _, window in ipairs(windows) do
      local shown = vim.api.nvim_win_get_buf(window)
      local usable = vim.bo[shown].buftype == '' and vim.api.nvim_win_get_config(window).relative == ''
      if window ~= here and usable and shown ~= review.buffer and (shown == wanted or not wanted) then
        vim.api.nvim_win_set_buf(window, buffer)
        return window
      end
    end
  end
  return vim.api.nvim_open_win(buffer, false, { split = 'above', win = here }), true
end

local function go_to_place(review)
  local buffer, line = target(review, row_here(review))
  if buffer then
    vim.bo[buffer].buflisted = true
    local window = window_for(review, buffer)
    vim.api.nvim_set_current_win(window)
    vim.api.nvim_win_set_cursor(window, { math.min(line + 1, vim.api.nvim_buf_line_count(buffer)), 0 })
    vim.cmd('normal! zvzz')
  end
end

--- Shows the hunk in the buffer of its file until the next key.
local function preview(review)
  local row = row_here(review)
  local buffer, line = target(review, row)
  if not buffer or not row.hunk then
    return
  end
  local hunk, count = row.hunk.hunk, vim.api.nvim_buf_line_count(buffer)
  local window, is_new = window_for(review, buffer)
  if is_new then
    table.insert(review.windows, window)
  end
  for at = line, math.min(line + #hunk.removed, count) - 1 do
    vim.api.nvim_buf_set_extmark(buffer, NAMESPACE, at, 0, { line_hl_group = 'DiffDelete' })
  end
  local added = vim.tbl_map(function(text)
    return { { vim.fn.strtrans((text:gsub('\r?\n$', ''):gsub('\t', (' '):rep(vim.bo[buffer].tabstop)))), 'DiffAdd' } }
  end, hunk.added)
  local at = math.min(line + #hunk.removed, count)
  vim.api.nvim_buf_set_extmark(buffer, NAMESPACE, math.max(at - 1, 0), 0, {
    virt_lines = added,
    virt_lines_above = at == 0,
  })
  vim.api.nvim_win_set_cursor(window, { math.max(1, math.min(line + 1, count)), 0 })
  vim.api.nvim_win_call(window, function()
    vim.cmd('normal! zvzz')
  end)
  vim.schedule(function()
    local listener
    listener = vim.on_key(function()
      vim.on_key(nil, listener)
      if vim.api.nvim_buf_is_valid(buffer) then
        vim.api.nvim_buf_clear_namespace(buffer, NAMESPACE, 0, -1)
      end
    end)
  end)
end

--- Shows a file as it is and as it will be, side by side, in a tab of its own.
local function side_by_side(review)
  local row = row_here(review)
  if not row.file then
    return
  end
  local file, now = row.file.file, lines_now(review.flow, row.file.file)
  local line_end = file.crlf and '\r?\n$' or '\n$'
  if file.crlf then
    now = vim.tbl_map(function(line) return (line:gsub('\r$', '')) end, now)
  end
  -- Lines of the file that are taken over, and where the hunk of the cursor is in both.
  local future, taken, at = {}, 0, { 1, 1 }
  for _, part in ipairs(row.file.hunks) do
    vim.list_extend(future, now, taken + 1, part.hunk.start)
    taken = part.hunk.start
    if part == row.hunk then
      at = { taken + 1, #future + 1 }
    end
    -- Of a proposal that nobody has decided on, what it would do.
    if part.unit.accepted or (part.unit.proposal and not part.unit.declined) then
      taken = taken + #part.hunk.removed
      for _, line in ipairs(part.hunk.added) do
        table.insert(future, (line:gsub(line_end, '')))
      end
    end
  end
  vim.list_extend(future, now, taken + 1)
  local syntax, from = vim.filetype.match({ filename = file.path }) or '', vim.api.nvim_get_current_tabpage()
  for index, side in ipairs({ { now, 'now' }, { future, 'then' } }) do
    vim.cmd(index == 1 and 'tabnew' or 'rightbelow vnew')
    local buffer = vim.api.nvim_get_current_buf()
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, side[1])
    vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].syntax = 'nofile', 'wipe', syntax
    vim.bo[buffer].modifiable = false
    pcall(vim.api.nvim_buf_set_name, buffer, ('clada://%s/%s'):format(side[2], file.path))
    vim.keymap.set('n', 'q', function()
      vim.cmd.tabclose()
      pcall(vim.api.nvim_set_current_tabpage, from)
    end, { buffer = buffer, desc = 'clada: close' })
    vim.cmd('diffthis')
    vim.api.nvim_win_set_cursor(0, { math.max(1, math.min(at[index], #side[1])), 0 })
  end
  vim.cmd('normal! zz')
end

--- Opens the new lines of the hunk, to be edited before it is accepted.
local function edit(review)
  local row = row_here(review)
  local part = row.hunk
  if not part then
    return tell('there is no hunk here')
  elseif part.hunk.notEditable then
    return tell(part.hunk.notEditable)
  end
  local hunk = part.hunk
  local lines = vim.tbl_map(function(line) return (line:gsub('\r?\n$', '')) end, hunk.added)
  vim.cmd('botright new')
  local buffer = vim.api.nvim_get_current_buf()
  local bo = vim.bo[buffer]
  bo.buftype, bo.bufhidden, bo.swapfile = 'acwrite', 'wipe', false
  pcall(vim.api.nvim_buf_set_name, buffer, 'clada://edit/' .. row.file.file.path)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  bo.filetype, bo.modified = vim.filetype.match({ filename = row.file.file.path }) or '', false
  vim.wo.winbar = (':w uses these lines for %s · :q! leaves the hunk as it was'):format((row.file.file.path:gsub('%%', '%%%%')))
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = buffer,
    callback = function()
      local new = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
      -- A buffer that was emptied has a line all the same.
      local text = #new == 1 and new[1] == '' and '' or table.concat(new, '\n') .. '\n'
      bo.modified = false
      vim.schedule(function()
        pcall(vim.api.nvim_buf_delete, buffer, { force = true })
        rpc.run(require('clada.flow').edit, review.flow, review.model, {
          part = hunk.parts[1], start = hunk.start, removed = hunk.removed, added = hunk.added, text = text,
        })
      end)
    end,
  })
end

local function carry_out(review)
  if review.running then
    return tell('it is being applied; <C-c> stops it')
  end
  review.running = true
  vim.defer_fn(function()
    if review.running then
      tell('it is being applied; <C-c> stops it')
    end
  end, 300)
  rpc.run(function()
    require('clada.flow').carry_out(review.flow, review.model, function(cancel)
      review.cancel = cancel
    end)
    review.running, review.cancel = nil, nil
  end)
end

--- Closes the windows of a review, and goes back to the tab that it was opened from.
local function hide(review)
  local from = vim.api.nvim_get_current_buf() == review.buffer and review.from
  for _, window in ipairs(vim.list_extend(vim.fn.win_findbuf(review.buffer), review.windows)) do
    if vim.api.nvim_win_is_valid(window) and not pcall(vim.api.nvim_win_close, window, true) then
      vim.api.nvim_win_call(window, function()
        vim.cmd('enew')
      end)
    end
  end
  review.windows = {}
  if from then
    pcall(vim.api.nvim_set_current_tabpage, from)
  end
end

--- Lists the keys, by what they say of themselves: a plugin may be without tags for `:help`.
local function help(review)
  local lines = {}
  for _, key in ipairs(review.keys) do
    table.insert(lines, (' %-6s %s '):format(unpack(key)))
  end
  rpc.float(lines, ' clada ')
end

local function keys(review)
  review.keys = { { ':w', 'apply' } }
  local function map(lhs, action, description)
    table.insert(review.keys, { lhs, description })
    vim.keymap.set('n', lhs, function()
      action(review)
    end, { buffer = review.buffer, nowait = true, desc = 'clada: ' .. description })
  end
  map('y', function() decide(review, true) end, 'accept, and approve what needs it; on a file all of it')
  map('n', function() decide(review, false) end, 'leave out')
  map('a', accept_rest, 'accept this and the rest, but no proposals')
  map('e', edit, 'edit the new lines of the hunk')
  map('s', function()
    vim.cmd('silent! normal! zO')
    go(review, 1, true)
  end, 'decide about each hunk alone')
  map('q', hide, 'close; the review stays')
  map('ZZ', carry_out, 'apply')
  map('ZQ', hide, 'close; the review stays')
  map('W', function()
    rpc.run(require('clada.flow').save_and_plan, review.flow, review.model)
  end, 'save the buffers and let clada write everything')
  for _, lhs in ipairs({ ']h', ']c' }) do
    map(lhs, function() go(review, 1, true) end, 'next hunk')
  end
  for _, lhs in ipairs({ '[h', '[c' }) do
    map(lhs, function() go(review, -1, true) end, 'previous hunk')
  end
  map('<Tab>', function() vim.cmd('silent! normal! za') end, 'fold')
  map('<CR>', go_to_place, 'go to the place')
  map('p', preview, 'show the hunk in its buffer')
  map('i', function()
    -- A file that no buffer has is loaded first.
    target(review, row_here(review))
    require('clada.inline').show(review, go_to_place)
  end, 'draw all hunks in their buffers, and go there')
  map('d', side_by_side, 'side by side')
  map('g?', help, 'these keys')
  map('<C-c>', function()
    if review.cancel then
      review.cancel()
    end
  end, 'stop what is under way')
end

--- Shows a review that there is.
function M.show(review)
  local window = vim.fn.win_findbuf(review.buffer)[1]
  if window then
    return vim.api.nvim_set_current_win(window)
  end
  review.from = vim.api.nvim_get_current_tabpage()
  local commands = { tab = 'tab split', split = 'split', vsplit = 'vsplit' }
  vim.cmd(commands[config.layout])
  vim.api.nvim_set_current_buf(review.buffer)
  local options = {
    foldmethod = 'manual', foldlevel = 99, foldenable = true,
    signcolumn = 'yes', wrap = true, breakindent = true, number = false, relativenumber = false, spell = false, list = false,
    foldtext = 'getline(v:foldstart)',
  }
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { scope = 'local', win = 0 })
  end
  fold(review)
  for at, row in ipairs(review.rows) do
    if row.head then
      vim.api.nvim_win_set_cursor(0, { at, 0 })
      break
    end
  end
end

--- Opens the review of a model, in place of the one that there is of this root.
function M.open(flow, model)
  local lines, rows = render.lines(flow, model)
  local review = reviews[flow.root]
  if review and vim.api.nvim_buf_is_valid(review.buffer) then
    review.flow, review.model, review.running = flow, model, nil
  else
    review = { flow = flow, model = model, buffer = vim.api.nvim_create_buf(false, true), windows = {} }
    local bo = vim.bo[review.buffer]
    bo.buftype, bo.bufhidden, bo.swapfile, bo.undolevels = 'acwrite', 'hide', false, -1
    vim.api.nvim_buf_set_name(review.buffer, 'clada://review' .. flow.root)
    reviews[flow.root] = review
    keys(review)
    vim.api.nvim_create_autocmd('BufWriteCmd', {
      buffer = review.buffer,
      callback = function()
        carry_out(review)
      end,
    })
    vim.api.nvim_create_autocmd('BufWinLeave', {
      buffer = review.buffer,
      callback = function()
        if reviews[flow.root] == review and not review.running then
          tell('nothing was applied; `:Clada review` shows it again')
        end
      end,
    })
  end
  last = flow.root
  local is_inline = require('clada.inline').is_shown(review)
  require('clada.inline').clear(review)
  review.rows = rows
  vim.bo[review.buffer].modifiable = true
  vim.api.nvim_buf_set_lines(review.buffer, 0, -1, false, lines)
  vim.bo[review.buffer].filetype, vim.bo[review.buffer].syntax = 'clada-review', 'diff'
  refresh(review)
  fold(review)
  M.show(review)
  if is_inline then
    require('clada.inline').show(review)
  end
  require('clada.syntax').show(review)
  return review
end

--- Ends a review, with its windows.
function M.close(root)
  local review = reviews[root]
  if review then
    reviews[root] = nil
    require('clada.inline').clear(review)
    last = last == root and next(reviews) or last
    hide(review)
    pcall(vim.api.nvim_buf_delete, review.buffer, { force = true })
  end
end

--- What there is to decide, for the status line.
function M.status()
  local review = M.get()
  if review then
    return ('clada %d/%d'):format(model_of.count(review.model))
  end
end

return M
