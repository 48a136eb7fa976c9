import type { Folder } from '../../contract/folder.ts'
import { LIMITS } from '../../contract/limits.ts'
import { type Html, html, when } from '../web/html.ts'
import { icon } from '../web/icons.ts'

/** The bar below a list, for what is done with all selected sessions. The stylesheet shows it with the first, and counts them. */
export function bulkBar(folders: readonly Folder[], isTrash: boolean): Html {
  if (isTrash)
    return html`<div class="bulk" role="group" aria-label="Selected sessions"><span class="of">selected</span><button class="second" name="do" value="restore">Restore</button></div>`
  const options = folders.map(({ id, name }) => html`<option value="${id}">${name}</option>`)
  return html`<div class="bulk" role="group" aria-label="Selected sessions"><span class="of">selected</span>
<details class="menu"><summary class="button second">Tag</summary><div class="pop"><label>Tags, separated by commas<input name="tag" dir="auto" maxlength="${LIMITS.tags.length}"></label><button name="do" value="tag">Add the tags</button><button name="do" value="untag">Remove the tags</button></div></details>
${when(
  options.length > 0,
  () =>
    html`<details class="menu"><summary class="button second">Folder</summary><div class="pop"><label>Folder<select name="folder">${options}</select></label><button name="do" value="folder">Put into the folder</button><button name="do" value="unfolder">Take out of the folder</button></div></details>`
)}
<button class="second" name="do" value="favorite">${icon('star')}Favourite</button>
<button class="second danger" name="do" value="trash">${icon('trash')}Trash</button></div>`
}
