import { expect, test } from 'vitest'
import { files, importsOf, isNode, type Node, nodesOf, read } from './source.ts'

/** A template escapes what it puts between tags and between quotes. Anywhere else a value could become markup. */
const TEMPLATES = files.filter(file => /^interfaces\/(?:console|site|web)\//.test(file))

/** The files that make markup of a text: the first has escaped it itself, the others have it of the guides and the reference. */
const MAKES_MARKUP = [
  'interfaces/console/markdown.ts',
  'interfaces/site/guide-page.ts',
  'interfaces/site/reference-page.ts'
]

test('every value in a template of a page stands between tags or between quotes', () => {
  expect(TEMPLATES.filter(file => templatesOf(read(file)).length > 0).length).toBeGreaterThan(5)
  expect(
    TEMPLATES.flatMap(file =>
      templatesOf(read(file))
        .flatMap(faultsOf)
        .map(fault => `${file}: ${fault}`)
    )
  ).toEqual([])
})

test('no other file of the pages says that a text is markup', () => {
  const raw = TEMPLATES.filter(
    file => /\braw\b/.test(read(file)) && importsOf(read(file)).some(({ from }) => from === 'hono/html')
  )
  expect(raw).toEqual(MAKES_MARKUP)
})

// A § stands for the $ of a template.
test.each([
  ['html`<p>§{text}</p>`', []],
  ['html`<a href="§{link}">§{text}</a>`', []],
  ['html`<a href="/x?§{query}#§{part}">`', []],
  ['html`<li§{when(done, () => html` class="done"`)}>`', []],
  ['html`<a href=§{link}>`', ['<a href=']],
  ['html`<p §{attributes}>`', ['<p ']],
  ['html`<script>§{code}</script>`', ['<script>']],
  ['html`<a onclick="§{code}">`', ['<a onclick="']],
  ['html`<p style="§{style}">`', ['<p style="']]
])('of %s the faults are %j', (source, faults) => {
  expect(templatesOf(source.replaceAll('§', '$')).flatMap(faultsOf)).toEqual(faults)
})

interface Template {
  parts: string[]
  values: Node[]
}

function templatesOf(source: string): Template[] {
  return nodesOf(source).flatMap(({ type, tag, quasi }) => {
    if (type !== 'TaggedTemplateExpression' || !isNode(tag) || tag.name !== 'html' || !isNode(quasi)) return []
    const parts = (quasi.quasis as Node[]).map(({ value }) => String(Object(value).cooked))
    return [{ parts, values: quasi.expressions as Node[] }]
  })
}

/** The text before each value that stands in a tag without quotes, in a script or style, or in an attribute that runs. */
function faultsOf({ parts, values }: Template): string[] {
  let before = ''
  return parts.slice(0, -1).flatMap((part, at) => {
    before += part
    const tag = before.slice(before.lastIndexOf('<'))
    const isOpen = before.lastIndexOf('<') > before.lastIndexOf('>') || /<\w+ [^>]*="[^"]*$/.test(before)
    const isSafe = isOpen ? isQuoted(tag) || isOptional(values[at]) : !/<(?:script|style)\b[^>]*>[^<]*$/i.test(before)
    before += 'x'
    return isSafe ? [] : [tag]
  })
}

function isQuoted(tag: string) {
  const [, name = ''] = /([\w-]+)="[^"]*$/.exec(tag) ?? []
  return name !== '' && !/^(?:on\w+|style|srcdoc)$/i.test(name)
}

/** An attribute that is there or not is a template of its own. */
function isOptional(value: Node | undefined) {
  return value?.type === 'CallExpression' && isNode(value.callee) && value.callee.name === 'when'
}
