import { Parser } from 'htmlparser2'
import { UnreadableTranscript } from './transcript.ts'

/** An element of a document, read from top to bottom. Names have no prefix. */
export interface OpenElement {
  name: string
  attributes: Record<string, string>
}

interface Handler {
  open?: (element: OpenElement, path: readonly OpenElement[]) => void
  text?: (text: string, path: readonly OpenElement[]) => void
  close?: (element: OpenElement, path: readonly OpenElement[]) => void
}

const MAX_DEPTH = 200

/**
 * Reads XML, or HTML, without a tree in memory. Entities of a document type are not expanded, and no address is loaded. Throws if XML ends
 * before its root element does.
 */
export function readElements(content: string, handler: Handler, { xml }: { xml: boolean }) {
  const path: OpenElement[] = []
  let isCut = false
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (path.length >= MAX_DEPTH) throw new UnreadableTranscript(`The file nests more than ${MAX_DEPTH} elements.`)
        const element = {
          name: withoutPrefix(name),
          attributes: Object.fromEntries(Object.entries(attributes).map(([key, value]) => [withoutPrefix(key), value]))
        }
        path.push(element)
        handler.open?.(element, path)
      },
      ontext(text) {
        handler.text?.(text, path)
      },
      onclosetag(_, isImplied) {
        if (xml && isImplied && path.length === 1) isCut = true
        const element = path.at(-1)
        if (element) handler.close?.(element, path)
        path.pop()
      }
    },
    { xmlMode: xml, decodeEntities: true, recognizeSelfClosing: xml }
  )
  parser.end(content)
  if (isCut) throw new UnreadableTranscript('The file is cut off: it ends before its last element does.')
}

function withoutPrefix(name: string) {
  return name.slice(name.indexOf(':') + 1)
}
