/** What is wrong with a file, by the code of the failed call. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left for it',
  EDQUOT: 'no space is left for it',
  EFBIG: 'no space is left for it',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'too many files are open',
};

/** Why a file could not be read or written, for people: the end of a sentence that names the file. */
export function fileProblem(error: unknown): string {
  const { code = '', message = String(error) } = (error ?? {}) as NodeJS.ErrnoException;
  return WORDS[code] ?? message;
}
