import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { files, read } from './source.ts'

/** Words that have a better one in the field: what is written, and what to write instead. Identifiers and comments count alike. */
const GLOSSARY: [RegExp, string][] = [
  [/likeness|nearness/i, 'similarity'],
  [/\bworth(s|Of)\b|\bworth:/, 'IDF or weight'],
  [/\bpromising\b|looked at closely/i, 'candidate'],
  [/\blanes?\b/i, 'connection'],
  [/under ?way\b/i, 'in flight, running'],
  // Links to the tests that inject faults keep their name, and people may say the word.
  [/(?<!found a |\/|-)\bfaults?\b(?! tests)(?!\/)|[a-z]Faults?\b|\bfault[A-Z]/, 'error'],
  [/\bill ones?\b/i, 'failing endpoints'],
  [/\bknocks?\b/i, 'opens a connection'],
  [/\bseal(s|ed)?\b|\bunseal/i, 'encrypt'],
  [/\b(MOST|LEAST)_[A-Z]/, 'MAX_, MIN_'],
  [/_WITHIN_MS\b/, '_TIMEOUT_MS'],
  [/\breckon/i, 'compute'],
  [/\buntold\b|\b(is|are|was|were|be) told\b/i, 'reported, logged, named'],
  [/\bapp API\b/i, 'admin API'],
  [/\bby words\b|\bwords alone\b/i, 'terms'],
  [/\bwords' worth\b/i, 'IDF']
]

const guides = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.md'))
const texts = new Map([
  ...files.map(file => [`src/${file}`, read(file)] as const),
  ...guides.map(name => [`docs/${name}`, readFileSync(`docs/${name}`, 'utf8')] as const),
  ['README.md', readFileSync('README.md', 'utf8')] as const
])

test.each(GLOSSARY)('nothing is called %s: the word is "%s"', pattern => {
  const found = [...texts].flatMap(([name, text]) =>
    text.split('\n').flatMap((line, at) => (pattern.test(line) ? [`${name}:${at + 1}: ${line.trim()}`] : []))
  )
  expect(found).toEqual([])
})
