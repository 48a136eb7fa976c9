import fc from 'fast-check'
import { parseDocument } from 'htmlparser2'
import { describe, expect, test } from 'vitest'
import { markdown } from '../../../src/interfaces/console/markdown.ts'
import { markdownRenderer, renderGuide } from '../../../src/interfaces/site/guide-markdown.ts'
import { openMarkdown } from '../../../src/interfaces/web/markdown.ts'

const BLOCKS = 'p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre hr table thead tbody tr th td div'
const INLINE = 'a bdi em strong del code br input span'
const ELEMENTS = new Set(`${BLOCKS} ${INLINE}`.split(' '))

/** The attributes that an element may have, and their values. */
const ATTRIBUTES: Record<string, RegExp> = {
  'a href': /^(?:https?:\/\/|mailto:)/i,
  'a rel': /^noreferrer nofollow$/,
  'p class': /^as-is$/,
  'code class': /^language-\S*$/,
  'ol start': /^\d+$/,
  'th align': /^(?:left|center|right)$/,
  'td align': /^(?:left|center|right)$/,
  'input type': /^checkbox$/,
  'input disabled': /^$/,
  'input checked': /^$/
}

/** What a page must not have: elements, attributes and values that are not listed, and comments. */
function strangeIn(html: string, attributes = ATTRIBUTES) {
  const strange: string[] = []
  const look = (nodes: ReturnType<typeof parseDocument>['children']) => {
    for (const node of nodes) {
      if (node.type === 'text') continue
      if (!('attribs' in node)) {
        strange.push(node.type)
        continue
      }
      if (!ELEMENTS.has(node.name)) strange.push(`<${node.name}>`)
      for (const [name, value] of Object.entries(node.attribs))
        if (!attributes[`${node.name} ${name}`]?.test(value)) strange.push(`<${node.name} ${name}="${value}">`)
      look(node.children)
    }
  }
  look(parseDocument(html).children)
  return strange
}

/** What makes marked read the text after it in another way, and what a browser would act on. */
const piece = fc.constantFrom(
  ...[
    '<code>',
    '</code>',
    '<pre>',
    '</pre>',
    '<kbd>',
    '<script>',
    '</script>',
    '<style>',
    '<!--',
    '-->',
    '<?',
    '<![CDATA['
  ],
  ...['<meta http-equiv=refresh content=0;url=//elsewhere =>', '<form action=//elsewhere>', '<img src=x onerror=y>'],
  ...['<a href="javascript:x">', '</p>', '</div>', '<div\n', '<b ', '>', '<', '"', "'", '&lt;', '&#60;', '&', '\\'],
  ...[
    '[',
    ']',
    '(',
    ')',
    '![',
    '](javascript:x)',
    '](https://b.example "t")',
    '[x]: <javascript:x>',
    '<https://c.example>'
  ],
  ...['https://d.example/"onclick=x', 'www.e.example', '<mailto:f@g.example>', '**', '*', '_', '~~', '`', '``', '~~~'],
  ...[
    '\n',
    '\n\n',
    '\n```html\n',
    '\n    ',
    '\n> ',
    '\n- ',
    '\n- [ ] ',
    '\n1. ',
    '\n7) ',
    '\n# ',
    '\n===\n',
    '\n---\n'
  ],
  ...['|', '\n|a|b|\n|-|:-:|\n|', ' ', '\t', 'x', 'word ', 'é', '🙂', '\u0000']
)
const text = fc.array(piece, { minLength: 1, maxLength: 30 }).map(pieces => pieces.join(''))

describe('Markdown of others', () => {
  test('becomes nothing but the elements and attributes that are listed, in 5,000 generated texts', () => {
    fc.assert(
      fc.property(text, sent => {
        expect(strangeIn(String(markdown(sent)))).toEqual([])
      }),
      { numRuns: 5_000 }
    )
  })

  test('neither does that of guides and the reference, apart from what their own renderer adds', () => {
    const reader = openMarkdown(markdownRenderer(''))
    const own: typeof ATTRIBUTES = {
      ...ATTRIBUTES,
      'a href': /^(?:https?:|#|[^:]*$|[^:]*\.md(?:#|$))/,
      'a class': /^anchor$/,
      'a aria-label': /^Link to this section$/,
      'span class': /^file$/,
      'pre data-language': /^/,
      'td data-column': /^/,
      'div class': /^table$/,
      'div tabindex': /^0$/
    }
    for (const level of [1, 2, 3, 4, 5, 6]) own[`h${level} id`] = /^/
    fc.assert(
      fc.property(text, sent => {
        expect(strangeIn(reader.parse(sent, { async: false }), own)).toEqual([])
      }),
      { numRuns: 1_000 }
    )
  })

  test.each([
    ['x <code> <meta http-equiv=refresh content=0;url=//elsewhere =>'],
    ['<pre> <form action=//elsewhere>'],
    ['<kbd><img src=x onerror=y></kbd>'],
    ['<!-- a comment --> and <b>more</b>']
  ])('shows %s as it was written', sent => {
    expect(parseDocument(String(markdown(sent))).children).toMatchObject([
      { name: 'p', children: [{ type: 'text', data: sent }] },
      { type: 'text' }
    ])
  })

  test('shows where a link leads: its host, or its address of mail', () => {
    expect(String(markdown('[our wiki](https://elsewhere.example/a?b) [write](mailto:ada@example.com)'))).toBe(
      '<p><a href="https://elsewhere.example/a?b" rel="noreferrer nofollow"><bdi>our wiki</bdi></a> <bdi>(elsewhere.example)</bdi> ' +
        '<a href="mailto:ada@example.com" rel="noreferrer nofollow"><bdi>write</bdi></a> <bdi>(ada@example.com)</bdi></p>\n'
    )
    expect(String(markdown('[https://good.example](https://elsewhere.example/)'))).toContain(
      '</a> <bdi>(elsewhere.example)</bdi>'
    )
    expect(String(markdown('https://a.example/b'))).toBe(
      '<p><a href="https://a.example/b" rel="noreferrer nofollow"><bdi>https://a.example/b</bdi></a></p>\n'
    )
  })

  test('keeps marks of direction in the words of a link from turning its target around', () => {
    const [paragraph] = parseDocument(
      String(markdown('[\u202eour wiki](https://elsewhere.example/) and more'))
    ).children
    const isolated = (node: unknown): string[] => {
      const { type, name, data, children = [] } = Object(node)
      if (type === 'text') return /\p{Bidi_Control}|elsewhere/u.test(data) ? ['not isolated'] : []
      return name === 'bdi' ? ['isolated'] : children.flatMap(isolated)
    }
    expect(isolated(paragraph)).toEqual(['isolated', 'isolated'])
  })

  test.each([
    ['a script', '[x](javascript:alert)'],
    ['an address that hides its host behind a name', '[x](https://good.example@elsewhere.example/)'],
    ['what is no address', '[x](//elsewhere.example)']
  ])('makes no link of %s', (_, sent) => {
    expect(String(markdown(sent))).toBe('<p>x</p>\n')
  })

  test.each([
    ['quotes', '> '.repeat(990)],
    ['quotes without blanks', '>'.repeat(3_900)],
    ['quotes of lists', '> - '.repeat(900)],
    ['numbered lists', '1. '.repeat(1_300)],
    ['emphasis', '***a'.repeat(50_000)],
    ['emphasis in blocks', `${'***a'.repeat(990)}\n\n`.repeat(50)]
  ])('is shown when it is %s in each other', (_, sent) => {
    expect(strangeIn(String(markdown(sent)))).toEqual([])
  })
})

test('a link to the first guide of a folder leads to the folder, and one to a file that is not served to nothing', () => {
  const { html } = renderGuide('quickstart', '[All](README.md) [API](api/README.md#parts) [code](../src/cli.ts)')
  expect(html).toBe('<p><a href="./">All</a> <a href="api/#parts">API</a> <span class="file">code</span></p>\n')
})
