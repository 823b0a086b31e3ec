--- Tests with a real client and daemon.

local T = T
local buffers = require('clada.buffers')
local clada = require('clada')
local rpc = require('clada.rpc')

-- Before there is a daemon: agents are to wait for approvals.
T.write(T.top .. '/config/clada/config.yaml', 'mcp:\n  approvals: wait\n')

local folders = 0

--- Makes a project with these files, and returns its root.
local function project(files)
  folders = folders + 1
  local root = ('%s/project%d'):format(T.top, folders)
  vim.fn.mkdir(root .. '/.git/refs', 'p')
  vim.fn.mkdir(root .. '/.git/objects', 'p')
  T.write(root .. '/.git/HEAD', 'ref: refs/heads/main\n')
  for name, text in pairs(files) do
    T.write(root .. '/' .. name, text)
  end
  return root
end

--- Writes an answer: each of `blocks` is the name of an action and its parameters.
local function answer(blocks)
  local text = {}
  for index, block in ipairs(blocks) do
    local id = ('%04x'):format(index)
    table.insert(text, ('Some words.\n\n#!SHAM [@three-char-SHA-256: %s]\naction = %s\n'):format(id,
      vim.json.encode(block[1])))
    for key, value in vim.spairs(block[2]) do
      table.insert(text, ('%s = %s\n'):format(key, vim.json.encode(value):gsub('\\/', '/')))
    end
    table.insert(text, ('#!END_SHAM_%s\n'):format(id))
  end
  return table.concat(text)
end

local function replace(root, path, old, new)
  return { 'file_replace_text', { path = root .. '/' .. path, old_text = old, new_text = new } }
end

local function open(path)
  vim.cmd('silent edit ' .. vim.fn.fnameescape(path))
  return vim.api.nvim_get_current_buf()
end

local function set(buffer, first, last, lines)
  vim.api.nvim_buf_set_lines(buffer, first, last, false, lines)
end

--- Waits for the review, which is then in the current window.
local function review()
  T.wait(function()
    return vim.bo.filetype == 'clada-review'
  end, 'a review')
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

local function apply(root, text, options)
  T.notes = {}
  clada.apply(vim.tbl_extend('force', { root = root, text = text }, options or {}))
end

--- Calls a method and waits for its answer.
local function call(method, params)
  local over, err, result
  rpc.request(method, params, function(...)
    over, err, result = true, ...
  end)
  T.wait(function()
    return over
  end, method)
  return result, err
end

--- Runs the client in a project, as somebody else.
local function client(root, args, stdin)
  local command = vim.list_extend({ vim.env.CLADA_CLIENT, '--root', root }, args)
  return vim.system(command, { text = true, stdin = stdin, timeout = T.patience }):wait()
end

local function tree(root)
  local found = {}
  for name, kind in vim.fs.dir(root, { depth = 9 }) do
    if kind == 'file' and not vim.startswith(name, '.git') then
      found[name] = T.read(root .. '/' .. name)
    end
  end
  return found
end

function T.stop()
  local status = call('status')
  rpc.stop(true)
  T.wait(function()
    return not status or vim.uv.kill(status.pid, 0) ~= 0
  end, 'the end of the daemon')
end

T.helpers = {
  project = project, answer = answer, replace = replace, open = open, review = review, apply = apply, call = call,
  client = client, tree = tree,
}

T.test('the daemon is found and greeted', function()
  T.eq(clada.status(), '')
  local status = call('status')
  T.eq(status.version, rpc.VERSION, 'the version of the plugin is that of the daemon')
  T.eq(rpc.state().up, true)
end)

local CODE = 'import os\n\nX = 1\n\n\ndef a():\n    return X\n\n\ndef b():\n    print(1)\n    print(2)\n'
local function listing(path, text)
  return ('Here is the updated `%s`:\n\n```python\n%s```\n\n'):format(path, text)
end

T.test('proposals of a plain answer are shown and not accepted, and applied by hunk', function()
  local root = project({ ['a.py'] = CODE, ['b.txt'] = 'one\n' })
  local buffer = open(root .. '/a.py')
  local changed = CODE:gsub('X = 1', 'X = 2'):gsub('print%(2%)', 'print(3)')
  local text = answer({ replace(root, 'b.txt', 'one', '1') }) .. '\n\n' .. listing('a.py', changed) .. listing('c.py', 'x = 1\n')
  apply(root, text)
  local lines = table.concat(review(), '\n')
  T.has(lines, '1 of 4 changes accepted, 2 proposals to decide')
  T.has(lines, 'proposed: change a.py · 2 hunks\n  whole file, named above · +2 −2 · lines')
  T.has(lines, '“Here is the updated `a.py`:”')
  T.has(lines, 'proposed: create c.py')
  T.keys('gga')
  T.has(vim.api.nvim_buf_get_lines(0, 0, 1, false)[1], '1 of 4 changes accepted', 'all the rest is no proposal')
  vim.fn.search('X = 2')
  T.keys('y')
  T.has(vim.api.nvim_buf_get_lines(0, 0, 1, false)[1], '2 of 4 changes accepted, 1 proposal to decide')
  T.keys('ZZ')
  T.note('1 proposal not decided')
  T.eq(tree(root), { ['a.py'] = (CODE:gsub('X = 1', 'X = 2')), ['b.txt'] = '1\n' })
  T.eq(vim.bo[buffer].modified, false)
  T.eq(vim.iter(vim.fn.getqflist()):map(function(entry)
    return vim.fs.basename(vim.api.nvim_buf_get_name(entry.bufnr)) .. ' ' .. entry.text
  end):totable(), { 'a.py proposed, not decided: c.py: new file, named above · Apply the answer again to decide.' })
  vim.cmd('Clada undo')
  T.note('undid changes to 2 files')
  T.eq(tree(root), { ['a.py'] = CODE, ['b.txt'] = 'one\n' }, 'all of it goes back')
end)

T.test('regression: y goes past the other hunks of what goes together', function()
  local root = project({ ['a.py'] = CODE, ['c.py'] = CODE })
  open(root .. '/a.py')
  local part = 'def b(x):\n    print(1)\n    print(3)\n'
  apply(root, listing('a.py', part) .. listing('c.py', part))
  T.has(table.concat(review(), '\n'), 'proposed: change a.py · 2 hunks')
  T.has(review()[1], '0 of 2 changes accepted, 2 proposals to decide', 'neither part is offered as its whole file, too')
  vim.fn.search('def b(x)')
  T.keys('y')
  vim.fn.search('^?\\=\\s*@@', 'bc')
  T.keys('n')
  T.keys('ZZ')
  T.note('1 done, 1 proposal declined')
  T.eq(tree(root), { ['a.py'] = (CODE:gsub('def b%(%)', 'def b(x)'):gsub('print%(2%)', 'print(3)')), ['c.py'] = CODE })
end)

T.test('regression: i draws the hunks of a file that was in no buffer, too', function()
  local root = project({ ['a.txt'] = 'one\ntwo\n', ['b.txt'] = 'x\n' })
  open(root .. '/b.txt')
  apply(root, answer({ replace(root, 'a.txt', 'two', '2') }))
  review()
  vim.fn.search('^-two')
  T.keys('i')
  T.wait(function() return vim.fs.basename(vim.api.nvim_buf_get_name(0)) == 'a.txt' end, 'the file')
  local all = vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true })
  T.eq(vim.iter(all):any(function(mark) return mark[4].virt_lines ~= nil end), true, 'its hunk is drawn')
end)

T.test('a buffer that stays unsaved is named', function()
  local root = project({ ['a.txt'] = 'one\ntwo\n' })
  set(open(root .. '/a.txt'), 2, 2, { 'typed' })
  apply(root, answer({ replace(root, 'a.txt', 'one', '1') }), { review = false })
  T.note('1 done · not saved: a.txt')
end)

T.test('a proposal is declined, edited, and one of two versions chosen', function()
  local root = project({ ['a.py'] = CODE })
  local two, three = CODE:gsub('X = 1', 'X = 2'), CODE:gsub('X = 1', 'X = 3')
  apply(root, listing('a.py', two))
  review()
  vim.fn.search('X = 2')
  T.keys('n')
  T.keys('ZZ')
  T.note('1 proposal declined')
  T.eq(tree(root), { ['a.py'] = CODE })
  T.eq(vim.fn.getqflist(), {}, 'nothing of it is left to do')
  apply(root, 'Option A\n\n' .. listing('a.py', two) .. 'Option B\n\n' .. listing('a.py', three))
  T.has(table.concat(review(), '\n'), '! one of several versions or places')
  vim.fn.search('X = 2')
  T.keys('y')
  vim.fn.search('X = 3')
  T.keys('y')
  T.has(vim.api.nvim_buf_get_lines(0, 0, 1, false)[1], '1 of 2 changes accepted', 'the other one is left out')
  vim.fn.search('X = 3')
  T.keys('e')
  T.wait(function() return vim.bo.buftype == 'acwrite' and vim.bo.filetype == 'python' end, 'the lines of the hunk')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'X = 4' })
  vim.cmd('write')
  T.wait(function()
    return vim.bo.filetype == 'clada-review' and vim.fn.search('X = 4', 'nw') > 0
  end, 'the review of what was edited')
  T.has(vim.api.nvim_buf_get_lines(0, 0, 1, false)[1], '1 of 2 changes accepted')
  T.keys('ZZ')
  T.note('1 done')
  T.eq(tree(root), { ['a.py'] = (CODE:gsub('X = 1', 'X = 4')) })
end)

T.test('code without a file name is for the file that is named, and what cannot be applied says what to do', function()
  local root = project({ ['a.py'] = CODE, ['b.py'] = 'y = 1\n' })
  open(root .. '/a.py')
  vim.fn.setreg('+', '```python\n' .. CODE:gsub('X = 1', 'X = 2'):gsub('a%(%)', 'aa()'):gsub('b%(%)', 'bb()') .. '```\n')
  vim.cmd('Clada apply --to')
  T.has(table.concat(review(), '\n'), 'named by --to')
  vim.cmd('close')
  T.notes = {}
  apply(root, 'In `a.py`:\n\n```python\n# ... existing code ...\n    return zz(\n# ... existing code ...\n```\n')
  local note = T.note('not applied, line 3 of the answer: a.py: ')
  T.has(note, 'request for the model in register +')
  T.eq(note:find('--copy', 1, true), nil, note)
  T.has(vim.fn.getreg('+'), 'a.py')
end)

T.test('what is only proposed is never applied without a look', function()
  local root = project({ ['a.py'] = CODE, ['b.txt'] = 'one\n' })
  local text = listing('a.py', (CODE:gsub('X = 1', 'X = 2')))
  apply(root, answer({ replace(root, 'b.txt', 'one', '1') }) .. '\n\n' .. text, { review = false })
  T.note('1 done, 1 proposal not decided')
  T.eq(tree(root), { ['a.py'] = CODE, ['b.txt'] = '1\n' })
  apply(root, text, { review = false })
  T.has(review()[1], '0 of 1 changes accepted, 1 proposal to decide')
  T.keys('ZZ')
  T.note('nothing is accepted: y accepts')
  T.keys('q')
  apply(root, listing('a.py', CODE))
  T.note('already as in the answer: a.py')
end)

T.test('an open buffer is edited and saved, a file without one written, and both go back', function()
  local root = project({ ['a.lua'] = 'one\ntwo\n', ['b.lua'] = 'three\nfour\n' })
  local before = tree(root)
  local buffer = open(root .. '/a.lua')
  apply(root, answer({ replace(root, 'a.lua', 'one', '1'), replace(root, 'b.lua', 'four', '4') }))
  T.eq(vim.list_slice(review(), 3), {
    'change a.lua · 1 hunk', '@@ -1,2 +1,2 @@', '-one', '+1', ' two',
    'change b.lua · 1 hunk', '@@ -1,2 +1,2 @@', ' three', '-four', '+4',
  })
  vim.cmd('write')
  T.note('2 done')
  T.eq(tree(root), { ['a.lua'] = '1\ntwo\n', ['b.lua'] = 'three\n4\n' })
  T.eq(vim.bo[buffer].modified, false)
  T.eq(vim.fn.bufexists('clada://review' .. root), 0)
  clada.undo({ root = root })
  T.note('undid changes to 2 files')
  T.eq(tree(root), before)
  clada.redo({ root = root })
  T.note('did changes to 2 files again')
  T.eq(tree(root), { ['a.lua'] = '1\ntwo\n', ['b.lua'] = 'three\n4\n' })
  T.notes = {}
  clada.undo({ root = root })
  T.note('undid changes to 2 files')
  T.eq(tree(root), before)
  T.eq(buffers.text(buffer), 'one\ntwo\n')
end)

--- Runs the case of `editors/fixture`; `more`: with the further files open.
local function fixture(more)
  local top = vim.fs.normalize(T.here .. '/../../fixture')
  local case = vim.json.decode(T.read(top .. '/case.json'))
  local before, after = tree(top .. '/before'), tree(top .. '/after')
  local unsaved, edited = tree(top .. '/unsaved'), tree(top .. '/edited')
  local root, opened = project(before), {}
  vim.o.fixendofline = false
  for _, name in ipairs(more and case.open or {}) do
    opened[name] = open(root .. '/' .. name)
  end
  local typed = {}
  for name, text in pairs(unsaved) do
    typed[name] = open(root .. '/' .. name)
    text = text:gsub('^\239\187\191', ''):gsub('\r\n', '\n')
    vim.bo.endofline = vim.endswith(text, '\n')
    set(typed[name], 0, -1, vim.split((text:gsub('\n$', '')), '\n'))
  end
  local function texts()
    return vim.tbl_map(buffers.text, typed)
  end
  local function modified()
    return vim.tbl_map(function(buffer) return vim.bo[buffer].modified end, typed)
  end
  local unsaved_all = vim.tbl_map(function() return true end, typed)
  T.eq(texts(), unsaved)
  apply(root, T.read(top .. '/answer.md'))
  local text = table.concat(review(), '\n')
  T.eq(select(2, text:gsub('\n@@ ', '')), case.review.hunks)
  for _, failure in ipairs(case.review.failures) do
    T.has(text, failure.path)
    T.has(text, failure.kind:upper())
  end
  for _, command in ipairs(case.review.commands) do
    T.has(text, '| ' .. command)
  end
  for _, hunk in ipairs(case.leaveOut) do
    vim.fn.search(('^change %s '):format(hunk.path), 'w')
    T.keys((']h'):rep(hunk.hunk + 1) .. 'n')
  end
  T.keys('ZZ')
  local result = case.result
  T.note(('%d done, %d failed, %d left out'):format(result.done, result.failed, result.leftOut))
  T.eq(tree(root), after)
  T.eq(texts(), edited)
  T.eq(modified(), unsaved_all)
  for name, buffer in pairs(opened) do
    T.eq(vim.api.nvim_buf_get_name(buffer), root .. '/' .. (case.moved[name] or name))
    T.eq(buffers.text(buffer), after[case.moved[name] or name])
    T.eq(vim.bo[buffer].modified, false)
  end
  for name, buffer in pairs(typed) do
    vim.api.nvim_buf_call(buffer, function() vim.cmd('silent undo') end)
    T.eq(buffers.text(buffer), unsaved[name])
    vim.api.nvim_buf_call(buffer, function() vim.cmd('silent redo') end)
    T.eq(buffers.text(buffer), edited[name])
  end
  T.notes = {}
  clada.undo({ root = root })
  T.note('undid')
  T.eq(tree(root), before)
  T.eq(texts(), unsaved)
  T.eq(modified(), unsaved_all)
  for name, buffer in pairs(opened) do
    T.eq(vim.api.nvim_buf_get_name(buffer), root .. '/' .. name)
    T.eq(buffers.text(buffer), before[name])
    T.eq(vim.bo[buffer].modified, false)
  end
  vim.o.fixendofline = true
end

T.test('the case of all editors, with nothing open but what is modified', function()
  fixture(false)
end)

T.test('the case of all editors, with all of it open', function()
  fixture(true)
end)

--- Lets a formatter run while `buffer` is saved: it makes another text of some texts.
local function format_on_save(buffer, texts)
  vim.api.nvim_create_autocmd('BufWritePre', {
    buffer = buffer,
    callback = function()
      local text = texts[buffers.text(buffer, true)]
      if text then
        vim.bo[buffer].fileformat = text:find('\r\n') and 'dos' or 'unix'
        vim.bo[buffer].endofline = vim.endswith(text, '\n')
        set(buffer, 0, -1, vim.split((text:gsub('\r', ''):gsub('\n$', '')), '\n'))
      end
    end,
  })
end

for _, case in ipairs(vim.json.decode(T.read(vim.fs.normalize(T.here .. '/../../fixture/formatters.json')))) do
  T.test('what a formatter does on save goes back with the answer: it ' .. case.name, function()
    local root = project({ ['a.txt'] = case.before })
    local a = open(root .. '/a.txt')
    format_on_save(a, { [case.applied] = case.formatted, [case.before] = case.again })
    apply(root, answer({ replace(root, 'a.txt', case.old, case.new) }), { review = false })
    T.note('1 done')
    local function is_now(text)
      T.eq({ T.read(root .. '/a.txt'), buffers.text(a, true), vim.bo[a].modified }, { text, text, false })
    end
    is_now(case.formatted)
    if case.formatted == case.before then
      T.notes = {}
      clada.undo({ root = root })
      T.note('there is nothing to undo')
      return is_now(case.before)
    end
    for _, step in ipairs({ { 'undo', 'undid', case.before }, { 'redo', 'did changes', case.formatted }, { 'undo', 'undid', case.before } }) do
      T.notes = {}
      clada[step[1]]({ root = root })
      T.note(step[2])
      is_now(step[3])
    end
  end)
end

T.test('what was typed after a formatter stays when the answer is taken back around it', function()
  local lines = {}
  for index = 1, 20 do
    lines[index] = 'line ' .. index
  end
  local text = table.concat(lines, '\n') .. '\n'
  local root = project({ ['a.txt'] = text })
  local a = open(root .. '/a.txt')
  local applied = text:gsub('line 10\n', 'ten\n')
  format_on_save(a, { [applied] = 'HEADER\n' .. applied })
  apply(root, answer({ replace(root, 'a.txt', 'line 10\n', 'ten\n') }), { review = false })
  T.note('1 done')
  set(a, 18, 18, { 'mine' })
  T.notes = {}
  clada.undo({ root = root })
  T.note("'a.txt' is modified in the editor and not saved. Nothing was changed")
  vim.cmd('silent write')
  clada.undo({ root = root })
  T.note('changed since')
  T.notes = {}
  clada.undo({ root = root, merge = true })
  T.note('undid')
  T.eq({ buffers.text(a), T.read(root .. '/a.txt') }, { (text:gsub('line 18\n', 'mine\nline 18\n')), (text:gsub('line 18\n', 'mine\nline 18\n')) })
end)

T.test('what was typed after the plan stays, and the answer is planned again', function()
  local root = project({ ['a.txt'] = 'one\ntwo\n-\nthree\n' })
  local buffer = open(root .. '/a.txt')
  apply(root, answer({ replace(root, 'a.txt', 'two', '2'), replace(root, 'a.txt', 'three', '3') }))
  review()
  T.keys('n')
  set(buffer, 0, 0, { 'typed' })
  vim.cmd('write')
  T.note('planned again')
  T.has(review()[1], '1 of 2')
  vim.cmd('write')
  T.note('1 done')
  T.eq(buffers.text(buffer), 'typed\none\ntwo\n-\n3\n')
  T.eq(T.read(root .. '/a.txt'), 'one\ntwo\n-\nthree\n')
end)

T.test('random edits between plan and carrying out lose nothing', function()
  math.randomseed(11)
  local lines = {}
  for index = 1, 12 do
    lines[index] = 'line ' .. index
  end
  local text = table.concat(lines, '\n') .. '\n'
  local root = project({ ['a.txt'] = text })
  local blocks = { replace(root, 'a.txt', 'line 3\n', 'three\nmore\n'), replace(root, 'a.txt', 'line 9\n', 'nine\n') }
  local rounds = vim.env.CLADA_ALL and 500 or 4
  local buffer = open(root .. '/a.txt')
  for round = 1, rounds do
    vim.api.nvim_set_current_buf(buffer)
    set(buffer, 0, -1, lines)
    vim.bo[buffer].modified = round % 2 == 0
    if round % 2 == 1 then
      vim.cmd('silent write!')
    end
    apply(root, answer(blocks))
    review()
    -- Lines are added and taken away, but for those that the answer names.
    for index = 1, math.random(0, 3) do
      local at = math.random(0, vim.api.nvim_buf_line_count(buffer))
      local there = vim.api.nvim_buf_get_lines(buffer, at, at + 1, false)[1]
      if there and not there:find('line [39]$') and math.random(2) == 1 then
        set(buffer, at, at + 1, {})
      else
        set(buffer, at, at, { ('typed %d %d'):format(round, index) })
      end
    end
    local expected = buffers.text(buffer):gsub('line 3\n', 'three\nmore\n'):gsub('line 9\n', 'nine\n')
    local function noted(part)
      return vim.iter(T.notes):any(function(note) return note:find(part, 1, true) ~= nil end)
    end
    vim.cmd('write')
    T.wait(function() return noted('2 done') or noted('planned again') end, 'an outcome of round ' .. round)
    if noted('planned again') then
      vim.api.nvim_set_current_buf(vim.fn.bufnr('clada://review' .. root))
      vim.cmd('write')
      T.note('2 done')
    end
    T.eq(buffers.text(buffer), expected, 'round ' .. round)
  end
end)

T.test('what another failure holds back is in the list of failures, what was left out is not; a commit is named', function()
  local root = project({ ['a.txt'] = 'one\ntwo\n', ['b.txt'] = 'b\n', ['c.txt'] = 'c\n' })
  vim.system({ 'git', 'init', '-q', root }):wait()
  vim.system({ 'git', '-C', root, 'add', '.' }):wait()
  vim.system({ 'git', '-C', root, '-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-qm', 'x' }):wait()
  local tasks = '<tasks version="1.0">\n%s</tasks>\n'
  local edit = '<edit path="%s"><search>%s</search><replace>x</replace></edit>\n'
  apply(root, tasks:format(edit:format('a.txt', 'none') .. edit:format('b.txt', 'b'))
    .. answer({ replace(root, 'a.txt', 'two', '2'), replace(root, 'c.txt', 'c', 'C') }))
  review()
  vim.fn.search('^change c.txt')
  T.keys('n')
  vim.cmd('write')
  local note = T.note('done')
  local head = vim.system({ 'git', '-C', root, 'rev-parse', 'HEAD' }, { text = true }):wait().stdout:sub(1, 8)
  T.has(note, ('1 done, 1 failed, 1 not applied, 1 left out · commit %s · undo'):format(head))
  T.eq(vim.tbl_map(function(entry)
    return { vim.fs.basename(vim.api.nvim_buf_get_name(entry.bufnr)), entry.lnum, entry.type, (entry.text:gsub(':.*', '')) }
  end, vim.fn.getqflist()), { { 'a.txt', 1, 'E', 'no_match' }, { 'b.txt', 1, 'W', 'skipped' } })
end)

T.test('typing while it is applied: nothing of that document is applied, and it is shown again', function()
  local root = project({ ['a.txt'] = 'one\n', ['b.txt'] = 'two\n', ['c.txt'] = 'three\n' })
  local a, b = open(root .. '/a.txt'), open(root .. '/b.txt')
  apply(root, answer({
    replace(root, 'a.txt', 'one', '1'), replace(root, 'b.txt', 'two', '2'), replace(root, 'c.txt', 'three', '3'),
  }))
  review()
  vim.cmd('write')
  set(a, 0, 0, { 'typed' })
  T.note('typed into meanwhile: a.txt')
  T.eq({ T.read(root .. '/b.txt'), T.read(root .. '/c.txt') }, { '2\n', '3\n' })
  T.eq(buffers.text(a), 'typed\none\n')
  local lines = review()
  T.eq(vim.list_slice(lines, 3), { 'change a.txt · 1 hunk · not saved', '@@ -1,2 +1,2 @@', ' typed', '-one', '+1' })
  T.notes = {}
  vim.cmd('write')
  T.note('1 done')
  T.eq(buffers.text(a), 'typed\n1\n')
  T.eq(buffers.text(b), '2\n')
end)

T.test('a modified buffer is not moved or deleted before it is saved', function()
  local root = project({ ['a.txt'] = 'one\n', ['b.txt'] = 'two\n' })
  local a = open(root .. '/a.txt')
  set(a, 1, 1, { 'mine' })
  apply(root, answer({
    { 'file_delete', { path = root .. '/a.txt' } }, replace(root, 'b.txt', 'two', '2'),
  }), { review = false })
  local text = table.concat(review(), '\n')
  T.has(text, 'it is modified and not saved: W saves it and plans again')
  T.has(text, '1 of 2')
  T.keys('W')
  T.wait(function()
    return vim.fn.getline(1):find('2 of 2') ~= nil
  end, 'the other plan')
  T.eq(T.read(root .. '/a.txt'), 'one\nmine\n')
  vim.cmd('write')
  T.note('2 done')
  T.eq(tree(root), { ['b.txt'] = '2\n' })
  T.eq(vim.fn.bufloaded(root .. '/a.txt'), 0)
  clada.undo({ root = root })
  T.note('undid')
  T.eq(tree(root), { ['a.txt'] = 'one\nmine\n', ['b.txt'] = 'two\n' })
end)

T.test('a command waits until buffers are saved, and sees what was done', function()
  local root = project({ ['a.txt'] = 'one\n' })
  local a = open(root .. '/a.txt')
  set(a, 1, 1, { 'mine' })
  apply(root, answer({ replace(root, 'a.txt', 'one', '1'), { 'run', { command = 'sh -c "cp a.txt b.txt"' } } }))
  review()
  T.keys('y')
  vim.cmd('write')
  T.note('a command needs the files: W saves 1 buffer')
  T.eq(buffers.text(a), 'one\nmine\n')
  local before = require('clada.review').get(root).model
  T.keys('W')
  T.wait(function()
    return require('clada.review').get(root).model ~= before
  end, 'the other plan')
  T.eq(clada.status(), 'clada 2/2')
  T.notes = {}
  vim.cmd('write')
  T.note('2 done')
  T.eq(tree(root), { ['a.txt'] = '1\nmine\n', ['b.txt'] = '1\nmine\n' })
  T.eq(buffers.text(a), '1\nmine\n')
end)

T.test('nothing that needs approval happens without it, and y is for the exact command', function()
  local root = project({ ['a.txt'] = 'one\n' })
  local command = 'sh -c "touch made\27[2J\226\128\174.txt"'
  local text = answer({ { 'run', { command = command } }, replace(root, 'a.txt', 'one', '1') })
  apply(root, text, { review = false })
  local lines = review()
  T.has(lines[1], '1 of 2')
  T.has(table.concat(lines, '\n'), [[| sh -c "touch made\u{1b}[2J\u{202e}.txt"]])
  T.has(table.concat(lines, '\n'), 'invisible characters')
  vim.cmd('write')
  T.note('1 done, 1 left out')
  T.eq(tree(root), { ['a.txt'] = '1\n' })
end)

T.test('an approved command runs', function()
  local root = project({ ['a.txt'] = 'one\n' })
  apply(root, answer({ { 'run', { command = 'sh -c "echo ran > ran.txt"' } } }))
  review()
  T.keys('y')
  T.eq(clada.status(), 'clada 1/1')
  vim.cmd('write')
  T.note('1 done')
  T.eq(tree(root)['ran.txt'], 'ran\n')
end)

T.test("the editor's own undo first, then ours: all of it goes back, and is done again", function()
  local root = project({ ['a.txt'] = 'one\n', ['b.txt'] = 'b\n' })
  local a = open(root .. '/a.txt')
  set(a, 1, 1, { 'mine' })
  apply(root, answer({ replace(root, 'a.txt', 'one', '1'), replace(root, 'b.txt', 'b', 'B') }), { review = false })
  T.note('2 done')
  vim.api.nvim_set_current_buf(a)
  vim.cmd('silent undo')
  T.eq(buffers.text(a), 'one\nmine\n')
  T.notes = {}
  clada.undo({ root = root })
  T.note('undid changes to 2 files')
  T.eq({ buffers.text(a), T.read(root .. '/b.txt') }, { 'one\nmine\n', 'b\n' })
  T.notes = {}
  clada.redo({ root = root })
  T.note('did changes to 2 files again')
  T.eq({ buffers.text(a), T.read(root .. '/b.txt') }, { '1\nmine\n', 'B\n' })
end)

T.test('nothing is undone or done again beneath text that is not saved', function()
  local root = project({ ['a.txt'] = 'one\n' })
  apply(root, answer({ replace(root, 'a.txt', 'one', '1') }), { review = false })
  T.note('1 done')
  local a = open(root .. '/a.txt')
  for _, case in ipairs({ { 'undo', '1\n' }, { 'redo', 'one\n' } }) do
    set(a, 1, 1, { 'mine' })
    for _, options in ipairs({ {}, { merge = true } }) do
      T.notes = {}
      clada[case[1]](vim.tbl_extend('force', { root = root }, case[1] == 'undo' and options or {}))
      T.note("'a.txt' is modified in the editor and not saved. Nothing was changed")
    end
    T.eq(T.read(root .. '/a.txt'), case[2])
    vim.cmd('silent edit!')
    T.notes = {}
    clada[case[1]]({ root = root })
    T.note('1 file')
    T.eq(T.read(root .. '/a.txt') ~= case[2], true)
  end
end)

T.test('an undo does not save over what somebody else has written', function()
  local root = project({ ['a.txt'] = 'one\n' })
  local a = open(root .. '/a.txt')
  apply(root, answer({ replace(root, 'a.txt', 'one', '1') }), { review = false })
  T.note('1 done')
  T.write(root .. '/a.txt', '1\ntheirs\n')
  clada.undo({ root = root })
  T.note('changed since')
  T.eq({ T.read(root .. '/a.txt'), buffers.text(a) }, { '1\ntheirs\n', '1\n' })
  -- Written again with the same text, it is as it was left.
  T.write(root .. '/a.txt', '1\n')
  T.notes = {}
  clada.undo({ root = root })
  T.note('undid changes to 1 file: a.txt')
  T.eq({ T.read(root .. '/a.txt'), buffers.text(a) }, { 'one\n', 'one\n' })
end)

T.test('hunks that are left out of an action are counted, and the output of commands is in the report', function()
  local lines = {}
  for index = 1, 30 do
    lines[index] = 'line ' .. index
  end
  local root = project({ ['a.txt'] = table.concat(lines, '\n') .. '\n' })
  local hunk = '@@ -%d,1 +%d,1 @@\n-line %d\n+%s\n'
  apply(root, '```diff\n--- a/a.txt\n+++ b/a.txt\n' .. hunk:format(2, 2, 2, 'two') .. hunk:format(20, 20, 20, 'twenty')
    .. '```\n' .. answer({ { 'run', { command = 'sh -c "echo to be seen; exit 3"' } } }))
  review()
  T.keys('y')
  vim.fn.search('^@@ -17')
  T.keys('n')
  vim.cmd('write')
  T.note('1 done, 1 failed, 1 hunk left out')
  T.note('output: :Clada report')
  vim.cmd('Clada report')
  T.has(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'), 'exit 3"\nto be seen\n')
  lines[2] = 'two'
  T.eq(T.read(root .. '/a.txt'), table.concat(lines, '\n') .. '\n')
end)

T.test('an answer that is in a file of no project is for the project of the working directory', function()
  local root = project({ ['a.txt'] = 'one\n' })
  local cwd = vim.fn.getcwd()
  T.write(T.top .. '/downloads/answer.md', answer({ { 'file_replace_text', { path = 'a.txt', old_text = 'none', new_text = '1' } },
    { 'file_append', { path = 'a.txt', content = 'two' } } }))
  open(T.top .. '/downloads/answer.md')
  vim.cmd.cd(root)
  vim.cmd('%Clada')
  T.has(review()[1], vim.fn.fnamemodify(root, ':~'))
  T.eq(table.concat(review(), '\n'):find('Relative path', 1, true), nil, 'as answers are taught to')
  vim.fn.search('NO_MATCH')
  T.keys('<CR>')
  T.eq({ vim.fn.expand('%'), vim.fn.line('.') }, { 'a.txt', 1 })
  vim.cmd.cd(cwd)
end)

T.test('what only reads is shown, and the report of what is reviewed is copied', function()
  local root = project({ ['a.txt'] = 'one\n' })
  apply(root, answer({ { 'run', { command = 'wc -l a.txt' } }, replace(root, 'a.txt', 'one', '1'),
    replace(root, 'a.txt', 'none', 'x') }))
  T.has(table.concat(review(), '\n'), '\n# only reads: run wc -l a.txt')
  vim.cmd('Clada! report')
  T.note('the report for the model is in register +')
  T.has(vim.fn.getreg('+'), 'NO_MATCH')
  T.eq(T.read(root .. '/a.txt'), 'one\n')
  T.notes = {}
  vim.fn.setreg('+', '')
  vim.cmd('Clada')
  T.note('this buffer is no answer')
end)

T.test('apply! asks nothing, and an undo of a changed buffer is refused or merged', function()
  local root = project({ ['a.txt'] = 'one\ntwo\nthree\nfour\nfive\nsix\n', ['b.txt'] = 'b\n' })
  local a = open(root .. '/a.txt')
  vim.fn.setreg('+', answer({ replace(root, 'a.txt', 'two', '2'), replace(root, 'b.txt', 'b', 'B') }))
  vim.cmd('Clada! apply')
  T.note('2 done')
  set(a, 5, 6, { 'mine' })
  T.notes = {}
  vim.cmd('Clada undo')
  T.note("'a.txt' is modified in the editor and not saved. Nothing was changed")
  T.eq(tree(root)['b.txt'], 'B\n')
  -- In the same place it cannot be merged, and then nothing is undone.
  set(a, 1, 2, { 'mine, too' })
  vim.cmd('silent write')
  T.notes = {}
  vim.cmd('Clada undo --merge')
  T.note('a.txt')
  T.eq(tree(root)['b.txt'], 'B\n')
  set(a, 1, 2, { '2' })
  vim.cmd('silent write')
  T.notes = {}
  vim.cmd('Clada undo')
  T.note('`:Clada undo --merge` keeps what was changed')
  vim.cmd('Clada undo --merge')
  T.note('undid')
  T.eq(tree(root)['b.txt'], 'b\n')
  T.eq(buffers.text(a), 'one\ntwo\nthree\nfour\nfive\nmine\n')
end)

T.test('an undo around what was typed since keeps that, in a buffer that is not saved', function()
  local root = project({ ['a.txt'] = 'one\ntwo\nthree\nfour\nfive\n', ['b.txt'] = 'b\n' })
  local a = open(root .. '/a.txt')
  set(a, 0, 0, { 'mine' })
  apply(root, answer({ replace(root, 'a.txt', 'two', '2\nmore'), replace(root, 'b.txt', 'b', 'B') }), { review = false })
  T.note('2 done')
  set(a, 6, 7, { 'later' })
  T.notes = {}
  clada.undo({ root = root })
  T.note('a.txt has changed since; nothing was undone')
  -- In the same place only the person can do it.
  set(a, 2, 3, { 'two and a half' })
  clada.undo({ root = root, merge = true })
  T.note('a.txt was changed in the same place')
  T.eq(tree(root)['b.txt'], 'B\n')
  set(a, 2, 3, { '2' })
  clada.undo({ root = root, merge = true })
  T.note('undid changes to 2 files')
  T.eq({ buffers.text(a), tree(root)['b.txt'] }, { 'mine\none\ntwo\nthree\nfour\nlater\n', 'b\n' })
  vim.cmd('silent undo')
  T.eq(buffers.text(a), 'mine\none\n2\nmore\nthree\nfour\nlater\n')
end)

--- Makes a git repository of a project, and returns a function that runs git in it.
local function repository(root)
  local function git(...)
    local command = { 'git', '-C', root, '-c', 'user.name=t', '-c', 'user.email=t@t', ... }
    return vim.trim(vim.system(command, { text = true }):wait().stdout)
  end
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'x')
  return git
end

T.test('what is saved is one operation and one commit with the rest, and the undo at the terminal is the same', function()
  local root = project({ ['a.txt'] = 'one\n', ['b.txt'] = 'b\n', ['typed.txt'] = 'one\n' })
  local git, before = repository(root), tree(root)
  local a, typed = open(root .. '/a.txt'), open(root .. '/typed.txt')
  set(typed, 1, 1, { 'mine' })
  format_on_save(a, { ['1\n'] = 'HEADER\n1\n' })
  local text = answer({ replace(root, 'a.txt', 'one', '1'), replace(root, 'b.txt', 'b', 'B'), replace(root, 'typed.txt', 'one', '1') })
  apply(root, text, { review = false })
  local note = T.note('3 done')
  T.has(note, 'commit ' .. git('rev-parse', 'HEAD'):sub(1, 8))
  T.eq(git('log', '-1', '--name-only', '--format='), 'a.txt\nb.txt')
  T.eq(git('rev-list', '--count', 'HEAD'), '2')
  local list = call('history.list', { root = root })
  T.eq(#list.operations, 1)
  T.has(list.operations[1].summary, 'not saved in nvim: typed.txt')
  -- At the terminal; the buffers follow, and what is not saved stays this editor's to undo.
  T.eq(client(root, { 'undo' }).code, 0)
  T.wait(function() return buffers.text(a) == 'one\n' end, 'the buffer of a.txt')
  T.eq({ tree(root), buffers.text(typed) }, { before, '1\nmine\n' })
  T.wait(function()
    clada.undo({ root = root })
    return buffers.text(typed) == 'one\nmine\n'
  end, 'the undo of typed.txt')
end)

T.test('after a restart the last answer is undone by its name, also if not all of its buffers are open', function()
  local root = project({ ['a.txt'] = 'one\n', ['b.txt'] = 'b\n', ['c.txt'] = 'c\n' })
  local before, a = tree(root), open(root .. '/a.txt')
  open(root .. '/b.txt')
  apply(root, answer({ replace(root, 'a.txt', 'one', '1'), replace(root, 'b.txt', 'b', 'B') }), { review = false })
  T.note('2 done')
  apply(root, answer({ replace(root, 'a.txt', '1', '2'), replace(root, 'c.txt', 'c', 'C') }), { review = false })
  T.note('2 done')
  vim.cmd('bwipeout! ' .. root .. '/b.txt')
  -- What it has done is not known to a new one.
  package.loaded['clada.flow'] = nil
  T.notes = {}
  for _, expected in ipairs({ { ['a.txt'] = '1\n', ['b.txt'] = 'B\n', ['c.txt'] = 'c\n' }, before }) do
    T.notes = {}
    clada.undo({ root = root })
    local note = T.note('this editor has nothing to undo here')
    clada.undo({ root = root, operation = note:match('`:Clada undo (%w+)`') })
    T.note('undid')
    T.eq({ tree(root), buffers.text(a) }, { expected, expected['a.txt'] })
  end
end)

T.test('the lines of a review have the colours of their language, where there is a parser', function()
  local root = project({ ['a.lua'] = 'local a = 1\n', ['b.nothing'] = 'local b\n' })
  apply(root, answer({ replace(root, 'a.lua', 'local a = 1', 'return "text"'), replace(root, 'b.nothing', 'b', 'c') }))
  review()
  local namespace, found = vim.api.nvim_get_namespaces()['clada.syntax'], {}
  T.wait(function()
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
      local line = vim.api.nvim_buf_get_lines(0, mark[2], mark[2] + 1, false)[1]
      found[line:sub(mark[3] + 1, mark[4].end_col)] = mark[4].hl_group
    end
    return found['"text"'] ~= nil
  end, 'the colours')
  T.eq({ found['local'], found['return'], found['"text"'], found['b'] }, { '@keyword.lua', '@keyword.return.lua', '@string.lua', nil })
end)

T.test('hunks are walked and decided about in their buffers, and never drawn over another text', function()
  local lines = {}
  for index = 1, 50000 do
    lines[index] = 'line ' .. index
  end
  local root = project({ ['a.txt'] = table.concat(lines, '\n') .. '\n', ['b.txt'] = 'b\n' })
  local a = open(root .. '/a.txt')
  apply(root, answer({ replace(root, 'a.txt', 'line 3\n', 'three\nmore\n'), replace(root, 'a.txt', 'line 40000\n', 'many\n'),
    replace(root, 'b.txt', 'b', 'B') }))
  review()
  vim.fn.search('^-line 3$')
  T.keys('i')
  T.eq(vim.api.nvim_get_current_buf(), a)
  local namespace = vim.api.nvim_get_namespaces()['clada.inline']
  local function marks()
    return vim.tbl_map(function(mark)
      local below = mark[4].virt_lines
      return below and { mark[2] + 1, below[1][1][1], below[2][1][1] } or mark[2] + 1
    end, vim.api.nvim_buf_get_extmarks(a, namespace, 0, -1, { details = true }))
  end
  local accepted, left_out = '▎✓ accepted · ]c [c next, previous', '▎✗ left out · ]c [c next, previous'
  T.eq(marks(), { 3, { 3, accepted, '+ three' }, 40000, { 40000, accepted, '+ many' } })
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  T.keys(']c]c')
  T.eq(vim.api.nvim_win_get_cursor(0)[1], 40000)
  T.keys('[c')
  vim.cmd('Clada reject')
  T.eq(marks(), { 3, { 3, left_out, '+ three' }, 40000, { 40000, accepted, '+ many' } })
  T.eq(vim.api.nvim_win_get_cursor(0)[1], 40000)
  T.eq(require('clada.review').status(), 'clada 2/3')
  -- Another text: it is planned again, and what was decided stays.
  set(a, 0, 0, { 'typed' })
  T.wait(function() return #marks() == 0 end, 'the end of the hunks')
  T.eq(vim.fn.maparg(']c', 'n'), '')
  vim.cmd('Clada inline')
  T.wait(function() return #marks() > 0 end, 'the hunks')
  T.eq(marks(), { 4, { 4, left_out, '+ three' }, 40001, { 40001, accepted, '+ many' } })
  vim.cmd('Clada review')
  vim.cmd('write')
  T.note('2 done')
  T.eq({ #marks(), buffers.text(a):find('three'), buffers.text(a):find('\nmany\n') ~= nil }, { 0, nil, true })
end)

T.test('a hunk is edited before it is accepted, in the buffer and on disk, and the report says so', function()
  local root = project({ ['a.txt'] = 'one\ntwo\n', ['b.txt'] = 'b\n' })
  local a = open(root .. '/a.txt')
  apply(root, answer({ replace(root, 'a.txt', 'two', '2'), replace(root, 'b.txt', 'b', 'B') }))
  for _, case in ipairs({ { '+2', { 'zwei', 'drei' } }, { '+B', {} } }) do
    review()
    vim.fn.search('^' .. case[1])
    T.keys('e')
    T.eq(vim.api.nvim_buf_get_lines(0, 0, -1, false), { case[1]:sub(2) })
    vim.api.nvim_buf_set_lines(0, 0, -1, false, case[2])
    vim.cmd('write')
    T.wait(function()
      return not vim.list_contains(review(), case[1])
    end, 'the edited hunk')
  end
  T.has(table.concat(review(), '\n'), ' edited by you\n one\n-two\n+zwei\n+drei')
  vim.cmd('write')
  T.note('2 done')
  T.eq({ tree(root), buffers.text(a) }, { { ['a.txt'] = 'one\nzwei\ndrei\n', ['b.txt'] = '' }, 'one\nzwei\ndrei\n' })
  clada.report({ root = root, copy = true })
  T.note('the report for the model is in register +')
  T.has(vim.fn.getreg('+'), "the user edited 1 place of it: the file has the user's lines there")
end)

T.test('an undo is of this editor, and waits for what is applied; what was stopped is undone, too', function()
  local root = project({ ['a.txt'] = 'one\n' })
  clada.undo({ root = root })
  T.note('there is nothing to undo')
  apply(root, answer({
    { 'file_write', { path = root .. '/first.txt', content = 'first\n' } }, { 'run', { command = 'sleep 20' } },
  }))
  review()
  for _, unit in ipairs(require('clada.review').get(root).model.units) do
    unit.accepted = true
  end
  T.notes = {}
  vim.cmd('write')
  T.note('runs')
  clada.undo({ root = root })
  T.note('something is being applied')
  T.notes = {}
  apply(root, answer({ replace(root, 'a.txt', 'one', '1') }))
  T.note('something is being applied')
  vim.cmd('Clada review')
  T.keys('<C-c>')
  T.note('It was stopped')
  T.wait(function()
    clada.undo({ root = root })
    return vim.wait(300, function() return tree(root)['first.txt'] == nil end, 5)
  end, 'the undo of what was stopped')
  T.note('undid changes to 1 file: first.txt')
  T.notes = {}
  -- What another one did is undone by its name alone.
  call('execute', { root = root, text = answer({ replace(root, 'a.txt', 'one', '1') }) })
  clada.undo({ root = root })
  local note = T.note('this editor has nothing to undo here')
  T.eq(tree(root)['a.txt'], '1\n')
  clada.undo({ root = root, operation = note:match('`:Clada undo (%w+)`') })
  T.note('undid')
  T.eq(tree(root)['a.txt'], 'one\n')
end)

T.test('a file without a final newline stays as it is shown, and is undone to that', function()
  local root = project({ ['a.txt'] = 'one\nlast' })
  open(root .. '/a.txt')
  apply(root, answer({ replace(root, 'a.txt', 'one', '1') }), { review = false })
  T.note('1 done')
  T.eq(tree(root), { ['a.txt'] = '1\nlast' })
  T.eq(vim.bo.fixendofline, true)
  clada.undo({ root = root })
  T.note('undid')
  T.eq(tree(root), { ['a.txt'] = 'one\nlast' })
end)

T.test('what stands already is named, and not left out; what was left out stays so when it is planned again', function()
  local root = project({ ['a.txt'] = 'one\n', ['b.txt'] = 'b\n', ['gone.txt'] = 'gone\n' })
  local gone = open(root .. '/gone.txt')
  set(gone, 0, 1, { 'mine' })
  apply(root, answer({
    { 'file_write', { path = root .. '/a.txt', content = 'one\n' } }, replace(root, 'b.txt', 'b', 'B'),
    { 'file_delete', { path = root .. '/gone.txt' } },
  }))
  T.has(table.concat(review(), '\n'), '\n# [task-1] already done: file_write')
  vim.fn.search('^delete')
  T.keys('n')
  T.keys('W')
  T.wait(function() return not vim.bo[gone].modified end, 'the buffer to be saved')
  T.wait(function()
    return not require('clada.review').get(root).model.units[2].blocked
  end, 'the plan')
  T.notes = {}
  vim.cmd('write')
  T.note('2 done, 1 left out')
  T.eq(tree(root), { ['a.txt'] = 'one\n', ['b.txt'] = 'B\n', ['gone.txt'] = 'mine\n' })
  T.eq(require('clada.problems').reports.llm:find('[task-1] SKIP', 1, true), nil)
end)

T.test('an answer of whole files is a proposal, also if its dialect is named', function()
  local root = project({ ['a.txt'] = 'one\n' })
  open(root .. '/a.txt')
  vim.fn.setreg('+', 'Here is the file.\n\na.txt\n```\ntwo\nthree\n```\n')
  T.notes = {}
  vim.cmd('Clada paste --dialect=whole_file')
  T.has(table.concat(review(), '\n'), '+three')
  vim.fn.search('three')
  T.keys('y')
  vim.cmd('write')
  T.note('1 done')
  T.eq(tree(root), { ['a.txt'] = 'two\nthree\n' })
end)

T.test('the answer is the selection, else the clipboard if it shows changes, else the buffer', function()
  local root = project({ ['a.txt'] = 'one\n' })
  open(root .. '/a.txt')
  vim.cmd('silent edit ' .. root .. '/answer.md')
  local text = vim.split(answer({ replace(root, 'a.txt', 'one', '1') }), '\n')
  set(0, 0, -1, text)
  for _, case in ipairs({ { '%Clada', 'lines 1-' }, { 'Clada', 'this buffer' } }) do
    vim.fn.setreg('+', 'no answer')
    vim.cmd(case[1])
    T.has(review()[1], case[2])
    T.keys('q')
  end
  vim.fn.setreg('+', table.concat(text, '\n'))
  vim.cmd('Clada')
  T.wait(function()
    return vim.fn.getline(1):find('register +', 1, true) ~= nil
  end, 'the clipboard')
  T.keys('q')
end)

T.test('a plan that is gone is made again without a question', function()
  local root = project({ ['a.txt'] = 'one\n' })
  apply(root, answer({ replace(root, 'a.txt', 'one', '1') }))
  review()
  local plan = require('clada.review').get(root).model.plan
  call('plan.drop', { root = root, planId = plan.planId })
  vim.cmd('write')
  T.note('1 done')
  T.eq(tree(root), { ['a.txt'] = '1\n' })
end)

T.test('a file that another process changed is a conflict, and planned again', function()
  local root = project({ ['a.txt'] = 'one\ntwo\n' })
  apply(root, answer({ replace(root, 'a.txt', 'one', '1') }))
  review()
  T.write(root .. '/a.txt', 'zero\none\ntwo\n')
  vim.cmd('write')
  T.note('planned again')
  review()
  vim.cmd('write')
  T.note('1 done')
  T.eq(tree(root), { ['a.txt'] = 'zero\n1\ntwo\n' })
end)

T.test('what others do is seen, and no modified buffer is read anew', function()
  local root = project({ ['a.txt'] = 'one\n', ['b.txt'] = 'two\n' })
  local a, b = open(root .. '/a.txt'), open(root .. '/b.txt')
  set(b, 1, 1, { 'mine' })
  local seen = {}
  local id = vim.api.nvim_create_autocmd('User', {
    pattern = 'CladaApplied',
    callback = function(event)
      if event.data.root == root then
        table.insert(seen, event.data.own)
      end
    end,
  })
  apply(root, 'no blocks')
  T.note('it holds no change of a file')
  local ran = client(root, { 'apply', '--no-git' }, answer({
    replace(root, 'a.txt', 'one', '1'), replace(root, 'b.txt', 'two', '2'),
  }))
  T.eq(ran.code, 0, ran.stderr .. ran.stdout)
  T.wait(function()
    return #seen > 0
  end, 'the event')
  vim.api.nvim_del_autocmd(id)
  T.eq(seen, { false })
  T.eq(buffers.text(a), '1\n')
  T.eq(buffers.text(b), 'two\nmine\n')
end)

T.test('an agent that waits raises one notice, which is answered', function()
  local root = project({ ['a.txt'] = 'one\n' })
  local window = vim.api.nvim_get_current_win()
  rpc.subscribe(root)
  call('status')
  local agent, got = assert(vim.uv.new_pipe(false)), ''
  agent:connect(rpc.state().socket, function()
    agent:read_start(function(_, chunk)
      got = got .. (chunk or '')
    end)
    local function say(id, method, params)
      agent:write(vim.json.encode({ jsonrpc = '2.0', id = id, method = method, params = params }) .. '\n')
    end
    say(1, 'hello', { caller = 'agent', client = 'robot', roots = { root } })
    say(2, 'execute', {
      root = root,
      text = answer({ { 'run', { command = 'sh -c "echo \'%[x](command:y)\' > asked.txt"' } } }),
    })
  end)
  local note = T.note('an agent asks')
  T.has(note, '%[x](command:y)')
  T.eq(clada.status(), 'clada !1')
  T.eq(vim.api.nvim_get_current_win(), window, 'no notice takes the keyboard')
  vim.cmd('Clada approve')
  T.wait(function()
    return vim.bo.filetype == 'clada-approvals'
  end, 'the approvals')
  T.has(vim.wo.winbar, 'o approve once')
  vim.cmd('Clada approve')
  T.wait(function()
    return #vim.fn.win_findbuf(vim.fn.bufnr('^clada://approvals$')) == 1 and vim.bo.filetype == 'clada-approvals'
  end, 'the approvals again')
  T.eq(#vim.api.nvim_list_wins(), 2, 'in place of the first')
  T.keys('o')
  T.note('answered: once')
  T.wait(function()
    return got:find('"id":2', 1, true) ~= nil
  end, "the agent's answer")
  agent:close()
  T.eq(tree(root)['asked.txt'], '%[x](command:y)\n', got)
  T.wait(function()
    return not clada.status():find('!', 1, true) and #vim.api.nvim_list_wins() == 1
  end, 'nothing waits, and nothing is shown')
end)

T.test('random answers give buffers what they give files', function()
  math.randomseed(5)
  local ends = { '\n', '\r\n' }
  local words = { 'alpha', 'beta', 'gämma', '𝒳elta', 'a\tb', 'lone\rcr', '', '  ' }
  vim.o.fixendofline = false
  for round = 1, vim.env.CLADA_ALL and 2000 or 4 do
    local line_end, lines = ends[math.random(2)], {}
    for index = 1, math.random(1, 9) do
      lines[index] = ('%d %s'):format(index, words[math.random(#words)])
    end
    local text = (math.random(6) == 1 and '\239\187\191' or '') .. table.concat(lines, line_end)
      .. (math.random(4) == 1 and '' or line_end)
    if math.random(8) == 1 then
      text = text:gsub('\r?\n', function() return ends[math.random(2)] end)
    end
    local blocks = {}
    for index = 1, #lines do
      if math.random(3) == 1 then
        local new = ({ '', 'new ' .. index, lines[index] .. '\nmore', 'x' })[math.random(4)]
        table.insert(blocks, { 'file_replace_text', { path = 'a.txt', old_text = lines[index], new_text = new } })
      end
    end
    if math.random(5) == 1 then
      table.insert(blocks, { 'file_append', { path = 'a.txt', content = 'the end\n' } })
    end
    if #blocks > 0 then
      local one, other = project({ ['a.txt'] = text }), project({ ['a.txt'] = text })
      local buffer = open(one .. '/a.txt')
      T.eq(buffers.text(buffer), text, 'read')
      local counts = {}
      for index, root in ipairs({ one, other }) do
        apply(root, answer(blocks), { review = false })
        counts[index] = T.note('done'):match('%d+ done[^·]*')
      end
      T.eq(counts[1], counts[2], vim.inspect({ text, blocks }))
      T.eq(T.read(one .. '/a.txt'), T.read(other .. '/a.txt'), vim.inspect({ round, text, blocks }))
      T.eq(vim.bo[buffer].modified, false)
      vim.cmd('silent! bwipeout! ' .. buffer)
    end
  end
  vim.o.fixendofline = true
end)

T.test('a daemon that is killed is started again by the next command', function()
  local root = project({ ['a.txt'] = 'one\n' })
  local status = call('status')
  vim.uv.kill(status.pid, 9)
  T.wait(function()
    return clada.status() == 'clada ↯'
  end, 'the loss')
  apply(root, answer({ replace(root, 'a.txt', 'one', '1') }), { review = false })
  T.note('1 done')
  T.eq(call('status').pid ~= status.pid, true)
end)

T.test('no client, no daemon: it says what to do', function()
  local root = project({ ['a.txt'] = 'one\n' })
  T.stop()
  clada.setup({ client = 'clada-client-of-nobody' })
  apply(root, 'x')
  T.has(T.note('was not found'), 'Install clada')
end)

T.test('an older daemon is named with what it lacks', function()
  call('status')
  rpc.stop(false)
  table.insert(rpc.FEATURES, 'time.travel')
  local _, err = call('status')
  table.remove(rpc.FEATURES)
  T.has(err.message, ('clada.nvim %s needs a newer daemon than %s: it lacks time.travel'):format(rpc.VERSION, rpc.VERSION))
end)

T.test('the health check finds all well', function()
  open(project({ ['a.txt'] = 'one\n' }) .. '/a.txt')
  vim.cmd('silent checkhealth clada')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  T.eq(text:find('ERROR', 1, true), nil, text)
  for _, part in ipairs({ 'answers in', 'there is a .git folder', 'sandbox', 'log:', 'clipboard: register +', "'autoread' is on" }) do
    T.has(text, part)
  end
end)

T.test('the other commands do what they say', function()
  local root = project({ ['a.txt'] = 'one\ntwo\nthree\n' })
  open(root .. '/a.txt')
  for _, case in ipairs({
    { 'embed', '1 file, ' }, { 'context add', '1 in the context: ' }, { 'embed --context', '1 file, ' },
    { '2,3Clada embed', '1 file, ' },
    { 'context clear', '0 in the context' }, { 'stage', '1 file in /' }, { 'changes', 'from here on' },
    { 'status', 'daemon ' .. rpc.VERSION },
  }) do
    T.notes = {}
    vim.cmd(case[1]:find('Clada') and case[1] or 'Clada ' .. case[1])
    T.note(case[2])
  end
  T.has(vim.fn.getreg('+'), '\n```\ntwo\nthree\n```\n')
  -- Words are relative to where the editor is, and may name lines.
  local cwd = vim.fn.getcwd()
  vim.fn.mkdir(root .. '/sub')
  T.write(root .. '/sub/b.txt', 'four\nfive\n')
  vim.cmd.cd(root .. '/sub')
  T.notes = {}
  vim.cmd('Clada embed b.txt:2-2 %')
  T.note('2 files, ')
  T.has(vim.fn.getreg('+'), '\n```\nfive\n```\n')
  vim.cmd.cd(cwd)
  vim.cmd('Clada history')
  T.wait(function()
    return vim.api.nvim_buf_get_name(0):find('clada://history', 1, true) ~= nil
  end, 'the history')
end)
