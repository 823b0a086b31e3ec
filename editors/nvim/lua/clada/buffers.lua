--- Buffers as documents: their text as it would be written, changes of them, and following what happens to their files.
---
--- Knows Neovim's buffers and options. It must not know plans, and compares no texts but for equality.

local rpc = require('clada.rpc')

local M = {}

--- Lines, and bytes, that are looked at at once; more hold up the editor.
local SLICE, PART = 10000, 500000
local BOM = '\239\187\191'

---@class clada.Document
---@field buffer integer
---@field path string Its file, resolved.
---@field tick integer
---@field modified boolean
---@field stamp any[]? What its file was known by when the buffer was found to stand for it.
---@field refused string? The reason why its text cannot be given to the daemon.

---@class clada.Change Lines to replace, from the first to the last, and the options of the text around them.
---@field edits {first: integer, last: integer, lines: string[]}[]
---@field options {endofline: boolean, bomb: boolean, fileformat: string}

--- The number of changes of a buffer; nothing if it is not loaded.
function M.tick(buffer)
  return vim.api.nvim_buf_is_loaded(buffer) and vim.api.nvim_buf_get_changedtick(buffer) or nil
end

--- Resolves the links of a path, also of one whose end is not there.
function M.canonical(path)
  local real = vim.uv.fs_realpath(path)
  local parent = vim.fs.dirname(path)
  if real or parent == path then
    return real or path
  end
  return (M.canonical(parent):gsub('/$', '')) .. '/' .. vim.fs.basename(path)
end

--- The path of a file that is named from a root, or absolute.
function M.path(root, name)
  return M.canonical(vim.startswith(name, '/') and name or root .. '/' .. name)
end

local REMOTE = { 'scp', 'sftp', 'rcp', 'rsync', 'ftp', 'http', 'https', 'dav', 'davs', 'fetch', 'oil-ssh', 'ssh' }

--- Returns the path that a buffer is about: its file, else the working directory. Or nothing, and the reason.
function M.place(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  local scheme = name:match('^(%a[%w+.-]*)://')
  if scheme and vim.tbl_contains(REMOTE, scheme:lower()) then
    return nil, ('%s is on another machine: run the editor where the files are'):format(name)
  end
  local is_file = name ~= '' and not scheme and vim.bo[buffer].buftype == ''
  return vim.fs.normalize(is_file and name or vim.fn.getcwd(), { expand_env = false })
end

--- True if a text is UTF-8, which is all that the daemon takes.
function M.is_utf8(text)
  local at = 1
  while at <= #text do
    local last = text:find('\n', at + PART, true) or #text
    local part = text:sub(at, last)
    if vim.iconv(vim.iconv(part, 'utf-8', 'utf-16le') or '', 'utf-16le', 'utf-8') ~= part then
      return false
    end
    at = last + 1
    if at <= #text then
      rpc.pause()
    end
  end
  return true
end

--- True if a buffer has no line, not even an empty one.
local function is_empty(buffer)
  return vim.api.nvim_buf_line_count(buffer) == 1
    and vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1] == ''
    and vim.api.nvim_buf_call(buffer, function()
      return vim.fn.wordcount().bytes
    end) == 0
end

--- Returns lines of a buffer as one text. As strings of Lua, hundreds of thousands of them would hold up the editor by
--- what it costs to collect them.
local function joined(buffer, first, last, line_end)
  local text = vim.api.nvim_eval(('join(getbufline(%d, %d, %d), "%s")'):format(buffer, first, last, line_end))
  -- There a NUL is a line feed.
  local breaks, at = 0, text:find('\n', 1, true)
  while at do
    breaks, at = breaks + 1, text:find('\n', at + 1, true)
  end
  return breaks == last - first and text
    or table.concat(vim.api.nvim_buf_get_lines(buffer, first - 1, last, false), line_end)
end

--- Returns the lines of a buffer as texts, or none if it is not loaded any more. Between parts of a large one the editor
--- may do other things; if it is typed into as often as there are `tries`, it may not.
local function parts_of(buffer, line_end, tries)
  local count, tick = vim.api.nvim_buf_line_count(buffer), M.tick(buffer)
  local parts, slice = {}, tries > 0 and SLICE or count
  for first = 1, count, slice do
    if first > 1 then
      rpc.pause()
    end
    if M.tick(buffer) ~= tick then
      return M.tick(buffer) and parts_of(buffer, line_end, tries - 1) or {}
    end
    parts[#parts + 1] = joined(buffer, first, math.min(first + slice - 1, count), line_end)
  end
  return parts
end

--- Returns the text of a buffer as it would be written; `as_read`: as it was read, without what 'fixeol' adds. In a
--- coroutine it is the text at the end, not at the beginning.
function M.text(buffer, as_read)
  local bo = vim.bo[buffer]
  if is_empty(buffer) then
    return bo.bomb and BOM or ''
  end
  local line_end = bo.fileformat == 'dos' and '\r\n' or '\n'
  local parts = parts_of(buffer, line_end, 3)
  if #parts == 0 then
    return ''
  end
  parts[1] = bo.bomb and BOM .. parts[1] or parts[1]
  if bo.endofline or (not as_read and bo.fixendofline and not bo.binary) then
    parts[#parts + 1] = ''
  end
  return table.concat(parts, line_end)
end

local function refusal(buffer)
  local bo = vim.bo[buffer]
  if bo.fileencoding ~= '' and bo.fileencoding ~= 'utf-8' then
    return ("its 'fileencoding' is %s"):format(bo.fileencoding)
  elseif bo.binary then
    return "it is 'binary'"
  elseif bo.fileformat == 'mac' then
    return "its 'fileformat' is mac"
  elseif not bo.modifiable then
    return "it is not 'modifiable'"
  end
end

--- Returns the document in a buffer, if it is a file.
function M.document(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  if name == '' or vim.bo[buffer].buftype ~= '' or name:find('^%a[%w+.-]*://') then
    return
  end
  return {
    buffer = buffer,
    path = M.canonical(name),
    tick = vim.api.nvim_buf_get_changedtick(buffer),
    modified = vim.bo[buffer].modified,
    refused = refusal(buffer),
  }
end

--- Returns the documents below `root` that are loaded, by their paths.
---@return table<string, clada.Document>
function M.documents(root)
  local top, documents = M.canonical(root) .. '/', {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local document = vim.api.nvim_buf_is_loaded(buffer) and M.document(buffer)
    if document and vim.startswith(document.path, top) then
      documents[document.path] = document
    end
  end
  return documents
end

--- Returns those of some documents that are modified, as a list.
---@param documents table<any, clada.Document>
function M.modified(documents)
  return vim.tbl_filter(function(document)
    return document.modified
  end, vim.tbl_values(documents))
end

--- Returns the overlays of those that are modified. Those whose text cannot be given are marked as refused.
function M.overlays(documents)
  local overlays = {}
  for path, document in vim.spairs(documents) do
    if document.modified and not document.refused and vim.api.nvim_buf_is_loaded(document.buffer) then
      local text = M.text(document.buffer)
      document.tick = M.tick(document.buffer)
      rpc.pause()
      if M.is_utf8(text) then
        document.text = text
        overlays[#overlays + 1] = { uri = vim.uri_from_fname(path), text = text, version = document.tick }
      else
        document.refused = 'it is not UTF-8'
      end
    end
  end
  return overlays
end

function M.read(path)
  local file = io.open(path, 'rb')
  local text = file and file:read('*a')
  if file then
    file:close()
  end
  return text
end

local function stamp(path)
  local stat = vim.uv.fs_stat(path)
  return stat and { stat.dev, stat.ino, stat.size, stat.mtime.sec, stat.mtime.nsec } or {}
end

--- True if edits of the document can be applied to its buffer: then it stands for the file.
function M.stands_for_file(document)
  if document.refused then
    return false
  end
  document.stamp = stamp(document.path)
  return document.modified or (M.read(document.path) or '') == M.text(document.buffer, true)
end

--- True if the file of a document that stood for it, or was saved, was not written since.
function M.is_file_same(document)
  return vim.deep_equal(document.stamp, stamp(document.path))
end

local function options_of(buffer)
  local bo = vim.bo[buffer]
  return { endofline = bo.endofline, bomb = bo.bomb, fileformat = bo.fileformat }
end

--- Returns the change that the edits of an answer make. They are of whole lines; ends of lines are the buffer's.
---@param edits lsp.TextEdit[]
---@return clada.Change
function M.change(buffer, edits)
  local count, was_empty = vim.api.nvim_buf_line_count(buffer), is_empty(buffer)
  local change = { edits = {}, options = options_of(buffer) }
  for _, edit in ipairs(edits) do
    local from, to, text = edit.range.start, edit.range['end'], edit.newText
    assert(from.character == 0 and to.character == 0, 'clada: an edit of a part of a line')
    local first, last = math.min(from.line, count), math.min(to.line, count)
    -- Edits are of the text without its mark; only a new text brings one.
    if first == 0 and vim.startswith(text, BOM) then
      change.options.bomb, text = true, text:sub(4)
    end
    if change.options.fileformat == 'dos' then
      local is_all = first == 0 and last == count
      if is_all and text:find('\n') and not text:find('\r\n') then
        change.options.fileformat = 'unix'
      else
        text = text:gsub('\r\n', '\n')
      end
    end
    local is_ended = text == '' or vim.endswith(text, '\n')
    local lines = text == '' and {} or vim.split(is_ended and text:sub(1, -2) or text, '\n', { plain = true })
    if (last == count or was_empty) and (#lines > 0 or first > 0) then
      change.options.endofline = is_ended
    end
    table.insert(change.edits, { first = first, last = last, lines = lines })
  end
  return change
end

--- Applies a change as one step of undo, and returns the one that takes it back.
---@param change clada.Change
---@return clada.Change
function M.apply(buffer, change)
  local bo = vim.bo[buffer]
  local back = { edits = {}, options = options_of(buffer) }
  -- It ends the block of undo that typing may have left open; else one `u` would take both.
  bo.undolevels = bo.undolevels
  -- An empty buffer has a line nevertheless, which has to go.
  local was_empty, shift = is_empty(buffer), 0
  for index, edit in ipairs(change.edits) do
    edit.last = was_empty and 1 or edit.last
    local old = vim.api.nvim_buf_get_lines(buffer, edit.first, edit.last, false)
    local first = edit.first + shift
    back.edits[index] = { first = first, last = first + #edit.lines, lines = was_empty and {} or old }
    shift = shift + #edit.lines - (edit.last - edit.first)
  end
  for index = #change.edits, 1, -1 do
    local edit = change.edits[index]
    vim.api.nvim_buf_set_lines(buffer, edit.first, edit.last, false, edit.lines)
  end
  for name, value in pairs(change.options) do
    if bo[name] ~= value then
      bo[name] = value
    end
  end
  bo.undolevels = bo.undolevels
  return back
end

--- Returns the number of the state of a buffer in its tree of undo.
function M.undo_state(buffer)
  return vim.fn.undotree(buffer).seq_cur
end

--- Goes to a state of the tree of undo.
function M.to_undo_state(buffer, state)
  vim.api.nvim_buf_call(buffer, function()
    vim.cmd('silent undo ' .. state)
  end)
end

--- Returns the change that gives a buffer another text, line by line.
---@return clada.Change
function M.change_to(buffer, text)
  local options = options_of(buffer)
  options.endofline = vim.endswith(text, '\n')
  local plain = text:gsub('^' .. BOM, ''):gsub(options.fileformat == 'dos' and '\r\n' or '\n', '\n'):gsub('\n$', '')
  local lines = plain == '' and {} or vim.split(plain, '\n', { plain = true })
  local old = is_empty(buffer) and {} or vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  local function joined_lines(some)
    return #some > 0 and table.concat(some, '\n') .. '\n' or ''
  end
  local diff = vim.text and vim.text.diff or vim.diff
  local edits = vim.tbl_map(function(hunk)
    local start, count, from, more = unpack(hunk)
    -- Lines that are only added are behind line `start`.
    local first = count > 0 and start - 1 or start
    return { first = first, last = first + count, lines = vim.list_slice(lines, from, from + more - 1) }
  end, diff(joined_lines(old), joined_lines(lines), { result_type = 'indices' }))
  return { edits = edits, options = options }
end

--- Writes the buffer of a document, or returns why not.
function M.save(document)
  local buffer, message = document.buffer, nil
  if vim.bo[buffer].readonly then
    message = 'it is read-only'
  elseif not M.is_file_same(document) then
    message = 'its file was changed meanwhile'
  else
    -- It is written as it was shown: only the person's own `:w` may add the end of the last line.
    local fix = vim.bo[buffer].fixendofline
    vim.bo[buffer].fixendofline = false
    message = select(2, pcall(vim.api.nvim_buf_call, buffer, function()
      vim.cmd('silent lockmarks keepalt write!')
    end))
    vim.bo[buffer].fixendofline = fix
    document.stamp = stamp(document.path)
  end
  return vim.bo[buffer].modified and ('%s was not saved: %s'):format(vim.fs.basename(document.path), message) or nil
end

--- Reads an unmodified buffer anew from its file.
local function reload(buffer)
  pcall(vim.api.nvim_buf_call, buffer, function()
    local view = vim.fn.winsaveview()
    vim.cmd('silent keepalt keepjumps lockmarks edit')
    vim.fn.winrestview(view)
  end)
end

--- Lets unmodified buffers follow what an operation did to their files.
---@param changes clada.ChangedFile[]|clada.FileChange[]|clada.PathChange[]
---@param only_autoread boolean? True to leave those alone whose 'autoread' is off.
function M.follow(root, changes, only_autoread)
  local loaded = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local document = vim.api.nvim_buf_is_loaded(buffer) and M.document(buffer)
    if document and not document.modified and not (only_autoread and not vim.o.autoread) then
      loaded[document.path] = buffer
    end
  end
  -- An event lists the old path of what was moved as deleted, too.
  local ordered = {}
  for _, change in ipairs(changes) do
    table.insert(ordered, (change.oldPath or change.from) and 1 or #ordered + 1, change)
  end
  for _, change in ipairs(ordered) do
    local path, from = M.path(root, change.path), change.oldPath or change.from
    from = from and M.path(root, from)
    local buffer, moved = loaded[path], loaded[from or '']
    if change.error then
      -- It was not done.
    elseif moved and not buffer then
      local old = vim.api.nvim_buf_get_name(moved)
      loaded[path], loaded[from] = moved, nil
      vim.api.nvim_buf_set_name(moved, vim.fn.fnamemodify(path, ':.'))
      -- Neovim keeps the old name in a buffer of its own.
      for _, left in ipairs(vim.api.nvim_list_bufs()) do
        if left ~= moved and vim.api.nvim_buf_get_name(left) == old then
          pcall(vim.api.nvim_buf_delete, left, {})
        end
      end
      reload(moved)
    elseif moved then
      pcall(vim.api.nvim_buf_delete, moved, {})
      reload(buffer)
    elseif buffer and (change.change or change.kind) == 'deleted' then
      pcall(vim.api.nvim_buf_delete, buffer, {})
      loaded[path] = nil
    elseif buffer then
      reload(buffer)
    end
  end
end

return M
