/** The place of an action item in the list over all sessions; `infinity` stands for no due date. */
export interface ItemPosition {
  dueOn: string
  itemId: string
}

/** Writes a place as a due date, or `none`, and the id of the item. */
export function writeItemCursor({ dueOn, itemId }: ItemPosition) {
  return `${dueOn === 'infinity' ? 'none' : dueOn}_${itemId}`
}

/** Reads a cursor that the contract has checked. */
export function readItemCursor(cursor: string): ItemPosition {
  const end = cursor.indexOf('_')
  const day = cursor.slice(0, end)
  return { dueOn: day === 'none' ? 'infinity' : day, itemId: cursor.slice(end + 1) }
}
