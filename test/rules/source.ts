import { readdirSync, readFileSync } from 'node:fs'
import { parseAst } from 'vitest/node'

/** Paths of the TypeScript files under src, from src on. */
export const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts'))
  .sort()

export function read(file: string) {
  return readFileSync(`src/${file}`, 'utf8')
}

/** A node of the syntax tree (ESTree with TypeScript's additions), read without its hundred types. */
export interface Node {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

/** Every rule asks for the nodes of the same sources. */
const known = new Map<string, Node[]>()

/** Every node of a source, parents before their children. */
export function nodesOf(source: string): Node[] {
  const found = known.get(source) ?? listNodes(source)
  known.set(source, found)
  return found
}

function listNodes(source: string) {
  const found: Node[] = []
  const visit = (value: unknown) => {
    if (Array.isArray(value)) for (const element of value) visit(element)
    else if (isNode(value)) {
      found.push(value)
      for (const child of Object.values(value)) visit(child)
    }
  }
  visit(parseAst(source, { lang: 'ts' }))
  return found
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

/** "file:line: the line", for a violation at that offset. */
export function locate(file: string, source: string, offset: number) {
  const line = source.slice(0, offset).split('\n').length
  return `${file}:${line}: ${source.split('\n')[line - 1]?.trim()}`
}

export interface Import {
  /** As written. */
  from: string
  typeOnly: boolean
}

/** What a file imports or re-exports, or names by URL as a worker's program. */
export function importsOf(source: string): Import[] {
  return nodesOf(source).flatMap(node => {
    const target = importedBy(node)
    if (!isNode(target) || typeof target.value !== 'string') return []
    return {
      from: target.value,
      typeOnly: node.importKind === 'type' || node.exportKind === 'type' || node.type === 'TSImportType'
    }
  })
}

function importedBy(node: Node) {
  if (/^(Import|ExportNamed|ExportAll)Declaration$|^(ImportExpression|TSImportType)$/.test(node.type))
    return node.source
  if (
    node.type !== 'NewExpression' ||
    !isNode(node.callee) ||
    node.callee.name !== 'URL' ||
    !Array.isArray(node.arguments)
  )
    return undefined
  const [target] = node.arguments
  return isNode(target) && String(target.value).endsWith('.ts') ? target : undefined
}
