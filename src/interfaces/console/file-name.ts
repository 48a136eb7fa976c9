/** A name that every system takes: letters, digits and a few marks. `plain` has those of ASCII only, for old programs. */
export function toFileName(title: string) {
  const name = title.replaceAll(/[^\p{L}\p{N} ._-]/gu, '_')
  return { name, plain: name.replaceAll(/[^ -~]/g, '_') }
}
