--- The root of a project, by the rules of the client: the nearest folder above with `.clada` or `.git`. Without one
--- it is the working directory, if it holds the file, else the folder of the file. Folders that hold more than a
--- project are never inferred.

local M = {}

local REMOTE = { 'scp', 'sftp', 'rcp', 'rsync', 'ftp', 'http', 'https', 'dav', 'davs', 'fetch', 'oil-ssh', 'ssh' }

local function add(list, path)
  if path and path:sub(1, 1) == '/' then
    list[#list + 1] = vim.fs.normalize(path, { expand_env = false })
    list[#list + 1] = vim.uv.fs_realpath(path)
  end
end

local function is_broad(folder)
  if folder == '/' then
    return true
  end
  local homes, temporary = {}, {}
  add(homes, vim.env.HOME)
  add(homes, (vim.uv.os_get_passwd() or {}).homedir)
  for _, path in ipairs({ '/tmp', '/var/tmp', '/dev/shm', vim.env.TMPDIR or '' }) do
    add(temporary, path)
  end
  local above = vim.iter(homes):any(function(home)
    return home == folder or vim.startswith(home, folder .. '/')
  end)
  return above or vim.tbl_contains(temporary, folder)
end

local function is_marked(folder)
  return vim.uv.fs_lstat(folder .. '/.clada') ~= nil or vim.uv.fs_lstat(folder .. '/.git') ~= nil
end

--- Returns the root for a file or folder, and the reason for it; or nothing, and the reason for that.
function M.of_path(path, cwd)
  local stat = vim.uv.fs_stat(path)
  local folder = stat and stat.type == 'directory' and path or vim.fs.dirname(path)
  local candidate = folder
  while true do
    if is_marked(candidate) and not is_broad(candidate) then
      return candidate, (vim.uv.fs_lstat(candidate .. '/.clada') and '.clada' or '.git') .. ' is in it'
    end
    local parent = vim.fs.dirname(candidate)
    if parent == candidate then
      break
    end
    candidate = parent
  end
  local holds = cwd and (folder == cwd or vim.startswith(folder, cwd .. '/'))
  for _, choice in ipairs({ { holds and cwd, 'the working directory' }, { folder, 'the folder of the file' } }) do
    if choice[1] and not is_broad(choice[1]) then
      return choice[1], choice[2] .. ', since no folder above has .clada or .git'
    end
  end
  return nil, folder .. ' is never taken for a project by itself: open a file of the project, or give a root'
end

--- The same for a buffer.
function M.of_buffer(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  local scheme = name:match('^(%a[%w+.-]*)://')
  if scheme and vim.tbl_contains(REMOTE, scheme:lower()) then
    return nil, ('%s is on another machine: run the editor where the files are'):format(name)
  end
  local cwd = vim.fs.normalize(vim.fn.getcwd(), { expand_env = false })
  if name == '' or scheme or vim.bo[buffer].buftype ~= '' then
    return M.of_path(cwd, cwd)
  end
  return M.of_path(vim.fs.normalize(name, { expand_env = false }), cwd)
end

return M
