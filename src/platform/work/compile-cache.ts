import { enableCompileCache, flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

/** In the folder of the installation, which others may not write to, as they may to that for temporary files. An update makes the folder anew. */
const FOLDER = fileURLToPath(new URL('../../../node_modules/.cache/parlance', import.meta.url))

/**
 * Keeps compiled code on disk, so that later starts need not compile it: that is a third of their processor time. To be called before the program is
 * imported. Where the folder cannot be written, a start takes as long as before. NODE_COMPILE_CACHE names another folder, NODE_DISABLE_COMPILE_CACHE=1
 * turns it off.
 */
export function keepCompiledCode() {
  enableCompileCache(FOLDER)
}

/** Writes what was compiled so far. Without it, a server that is killed would leave nothing for the next. */
export function writeCompiledCode() {
  flushCompileCache()
}
