import { randomUUID } from 'node:crypto'

/**
 * A form as a blob with the same bytes, which `fetch` reads as it sends them. A FormData it puts into memory as fast as the disk gives it; and if
 * the caller gives up meanwhile, Node 24 rejects a promise that nobody awaits, which ends the process.
 */
export function toFormBody(form: FormData): Blob {
  const boundary = `form-${randomUUID()}`
  const parts = [...form].flatMap(([name, value]) => {
    const start = `--${boundary}\r\ncontent-disposition: form-data; name="${escapeQuoted(name)}"`
    if (typeof value === 'string') return [`${start}\r\n\r\n${value}\r\n`]
    return [`${start}; filename="${escapeQuoted(value.name)}"\r\ncontent-type: ${value.type}\r\n\r\n`, value, '\r\n']
  })
  return new Blob([...parts, `--${boundary}--\r\n`], { type: `multipart/form-data; boundary=${boundary}` })
}

/** As browsers write names in a form. */
function escapeQuoted(name: string) {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}
