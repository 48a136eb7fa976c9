import { importKeys } from './import-document.ts'
import { describePaths, pathOf } from './unknown-fields.ts'

/**
 * Returns a sentence for each unknown key of an import document. A key in several entries of a list is named once. Values of a wrong
 * type are skipped, because validation refuses them.
 */
export function ignoredKeys(json: unknown): string[] {
  const ignored = new Set<string>()
  for (const [place, known] of Object.entries(importKeys)) {
    for (const entry of entriesAt(json, place)) {
      for (const key of Object.keys(entry)) if (!known.has(key)) ignored.add(pathOf(place, key))
    }
  }
  return describePaths(ignored, 'an import document has no such key', 'an import document has none of them')
}

function entriesAt(json: unknown, place: string): object[] {
  const value: unknown = place === '' ? json : Object(json)[place]
  return [value].flat().filter(isObject)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
