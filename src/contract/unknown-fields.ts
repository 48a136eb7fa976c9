import { z } from 'zod'
import { storable } from './import-document.ts'
import { oneLine } from './text.ts'

/** Further fields are counted, because a list of hundreds helps nobody. */
const MAX_NAMED = 20
const MAX_NAME = 60

/**
 * Returns a sentence for each field of a body that its shape does not have. A field in several entries of a list is named once. Values of a
 * wrong type are skipped, because validation refuses them.
 */
export function unknownFields(shape: unknown, body: unknown): string[] {
  const paths = new Set<string>()
  collect(shape, body, '', paths)
  return describePaths(paths, 'the request takes no such field', 'the request takes none of them')
}

/** A sentence for each path: the first ones by name, on one line and cut, the others by their number. */
export function describePaths(paths: ReadonlySet<string>, why: string, whyMore: string) {
  const named = [...paths].slice(0, MAX_NAMED).map(path => `${path}: ignored, because ${why}`)
  const more = paths.size - named.length
  return more > 0 ? [...named, `${more} more are ignored, because ${whyMore}`] : named
}

export function pathOf(place: string, name: string) {
  const shown = oneLine(storable(name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name))
  return place === '' ? shown : `${place}.${shown}`
}

function collect(shape: unknown, value: unknown, place: string, paths: Set<string>) {
  const inner = innerShape(shape)
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    for (const entry of value) collect(inner.element, entry, place, paths)
  }
  if (!(inner instanceof z.ZodObject) || !isObject(value)) return
  for (const [name, field] of Object.entries(value)) {
    if (Object.hasOwn(inner.shape, name)) collect(inner.shape[name], field, pathOf(place, name), paths)
    else paths.add(pathOf(place, name))
  }
}

/** The shape that values have before they are transformed, without `optional`, `nullable` and `default`. */
function innerShape(shape: unknown): unknown {
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable || shape instanceof z.ZodDefault)
    return innerShape(shape.unwrap())
  if (shape instanceof z.ZodPipe) return innerShape(shape.in instanceof z.ZodTransform ? shape.out : shape.in)
  return shape
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
