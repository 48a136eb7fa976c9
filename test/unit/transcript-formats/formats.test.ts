import { describe, expect, test } from 'vitest'
import { isZip, readDocx } from '../../../src/features/transcript-formats/docx.ts'
import { parseDocument } from '../../../src/features/transcript-formats/parse.ts'
import { processorMs } from '../../support/processor-time.ts'
import { linesOf } from '../../support/transcript.ts'
import { documentOfWord, zipOf } from '../../support/word.ts'

const Q = 'Did the bank approve the loan?'
const A = 'Yes, they signed it yesterday.'

function warningsOf(fileName: string, content: string) {
  return parseDocument(fileName, content).warnings
}

describe('reads a table', () => {
  test.each<[string, string, string, string[]]>([
    [
      'of Whisper',
      'a.tsv',
      `start\tend\ttext\n0\t3800\t${Q}\n3800\t6200\t${A}\n`,
      ['6.2', `0–3.8 Speaker | ${Q}`, `3.8–6.2 Speaker | ${A}`]
    ],
    [
      'of Whisper in a file of another name',
      'a.txt',
      `start\tend\ttext\r\n0\t3800\t${Q}\r\n`,
      ['3.8', `0–3.8 Speaker | ${Q}`]
    ],
    [
      'with labels in the text',
      'a.tsv',
      'start\tend\ttext\n0\t1000\t[SPEAKER_00]: One\n1000\t2000\t[SPEAKER_01]: Two',
      ['2', '0–1 SPEAKER_00 | One', '1–2 SPEAKER_01 | Two']
    ],
    [
      'of whisper.cpp',
      'a.csv',
      `start,end,text\n0,3800," ${Q}"\n3800,6200,"He said ""go"", then, left."\n`,
      ['6.2', `0–3.8 Speaker | ${Q}`, '3.8–6.2 Speaker | He said "go", then, left.']
    ],
    [
      'of whisper.cpp with speakers',
      'a.csv',
      'start,end,speaker,text\n0,1000,"0","One"\n1000,2000,"?","Two"',
      ['2', '0–1 0 | One', '1–2 Speaker | Two']
    ],
    [
      'in seconds',
      'a.csv',
      'Start,End,Speaker,Text\n0.5,1.5,Marta,One\n1.5,2.25,Oskar,Two',
      ['2.25', '0.5–1.5 Marta | One', '1.5–2.25 Oskar | Two']
    ],
    [
      'of clock times',
      'a.csv',
      'Speaker,Start time,End time,Text\nMarta,00:00:01.000,00:00:02.500,One',
      ['2.5', '1–2.5 Marta | One']
    ],
    ['with semicolons', 'a.csv', 'start;end;speaker;text\n0;1000;Marta;"One; two"', ['1', '0–1 Marta | One; two']],
    ['without ends', 'a.tsv', 'start\ttext\n0\tOne\n2000\tTwo', ['2', '0–2 Speaker | One', '2–2 Speaker | Two']],
    [
      'with line breaks in quotation marks',
      'a.csv',
      'start,end,text\n0,1000,"One\ntwo"\n1000,2000,Three',
      ['2', '0–1 Speaker | One two', '1–2 Speaker | Three']
    ],
    [
      'of labels of Audacity',
      'labels.txt',
      '0.000000\t1.500000\tOne\n1.500000\t2.000000\tTwo\n',
      ['2', '0–1.5 Speaker | One', '1.5–2 Speaker | Two']
    ]
  ])('%s', (_, name, content, expected) => {
    expect(linesOf(name, content)).toEqual(expected)
  })

  test.each([
    ['a.csv', 'id,amount\n1,2', 'The table has the columns id, amount: name its columns start, end, speaker and text'],
    ['a.tsv', 'a\tb\n1\t2', 'The table has the columns a, b'],
    ['a.csv', 'start,end,text\nx,2,One', 'Line 2 does not hold times'],
    ['a.csv', 'start,end,text\n0,1,"a\nb"\n1,y,Two', 'Line 4 does not hold times'],
    ['a.tsv', 'start\tend\ttext\n0\t1e99\tOne', 'Line 2 does not hold times']
  ])('refuses %s %j', (name, content, message) => {
    expect(() => linesOf(name, content)).toThrow(message)
  })
})

test.each<[string, string, string[]]>([
  [
    'a.sbv',
    '0:00:01.000,0:00:04.000\nMARTA: Yes, they\nsigned it.\n\n0:00:04.200,0:00:06.000\nOSKAR: Good.\n',
    ['6', '1–4 MARTA | Yes, they signed it.', '4.2–6 OSKAR | Good.']
  ],
  [
    'a.txt',
    '0:00:01.000,0:00:04.000\nHello[br]there\n\n0:00:04.200,0:00:06.000\n4711\n',
    ['6', '1–4 Speaker | Hello there', '4.2–6 Speaker | 4711']
  ]
])("reads YouTube's own format in %s", (name, content, expected) => {
  expect(linesOf(name, content)).toEqual(expected)
})

const tt = (body: string, head = '', attributes = '') =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" xml:lang="en-US" ${attributes}><head>${head}</head><body>${body}</body></tt>`
const word = (text: string, begin: string, end: string) =>
  `<span podcasts:unit="word" begin="${begin}" end="${end}">${text}</span>`

test.each<[string, string, string[]]>([
  [
    'with tags',
    `[ti:Interview]\n[la:en]\n[00:01.00]${Q}\n[00:04.20]${A}`,
    ['en 4.2', `1–4.2 Speaker | ${Q}`, `4.2–4.2 Speaker | ${A}`]
  ],
  [
    'with an offset',
    '[offset:500]\n[00:01.00]One\n[00:04]Two',
    ['3.5', '0.5–3.5 Speaker | One', '3.5–3.5 Speaker | Two']
  ],
  [
    'with lines that come again',
    '[00:01.00][00:05.00]One\n[00:03.00]Two',
    ['5', '1–3 Speaker | One', '3–5 Speaker | Two', '5–5 Speaker | One']
  ],
  ['with times of words', '[00:01.00] <00:01.00> One <00:01.50> two', ['1', '1–1 Speaker | One two']],
  ['with names', '[00:01.00]Marta: One\n[00:03.00]Oskar: Two', ['3', '1–3 Marta | One', '3–3 Oskar | Two']]
])('reads LRC %s', (_, content, expected) => {
  expect(linesOf('a.lrc', content)).toEqual(expected)
})

test('takes the title of LRC, whatever its extension is', () => {
  expect(parseDocument('a.txt', '[ti:Interview]\n[00:01.00]One').document.title).toBe('Interview')
})

describe('reads TTML', () => {
  test.each<[string, string, string[]]>([
    [
      'with clock times',
      tt(
        `<div><p begin="00:00:01.000" end="00:00:04.000">${Q}</p><p begin="00:00:04.200" end="00:00:06.000">${A}</p></div>`
      ),
      ['en 6', `1–4 Speaker | ${Q}`, `4.2–6 Speaker | ${A}`]
    ],
    [
      'of Apple Podcasts, by the word',
      tt(
        `<div begin="0"><p begin="0.240" end="2.5" ttm:agent="SPEAKER_1"><span podcasts:unit="sentence">${word('Hello', '0.240', '0.9')}${word('there.', '1.0', '2.5')}</span></p>\n<p begin="1:02.500" end="1:04" ttm:agent="SPEAKER_2">${word('Hi.', '1:02.500', '1:04')}</p></div>`,
        '<metadata><ttm:agent type="person" xml:id="SPEAKER_1"/><ttm:agent xml:id="SPEAKER_2"><ttm:name type="full">Marta Lind</ttm:name></ttm:agent></metadata>'
      ),
      ['en 64', '0.24–2.5 SPEAKER_1 | Hello there.', '62.5–64 Marta Lind | Hi.']
    ],
    [
      'with times on the words alone',
      tt(`<p ttm:agent="a">${word('One', '0.5', '1')}\n  ${word('two.', '1', '2s')}</p>`),
      ['en 2', '0.5–2 a | One two.']
    ],
    [
      'with offsets, durations and ticks',
      tt(
        '<p begin="1.5s" dur="500ms">One</p><p begin="20000000t" end="30000000t">Two</p>',
        '',
        'ttp:tickRate="10000000"'
      ),
      ['en 3', '1.5–2 Speaker | One', '2–3 Speaker | Two']
    ],
    [
      'with frames',
      tt('<p begin="00:00:01:12" end="00:00:02:00">One</p>', '', 'ttp:frameRate="24"'),
      ['en 2', '1.5–2 Speaker | One']
    ],
    [
      'with an offset around',
      tt('<div begin="10s"><p begin="1s" end="2s">One</p></div>'),
      ['en 12', '11–12 Speaker | One']
    ],
    [
      'with line breaks, styles and entities',
      tt('<p begin="0s" end="1s"><span tts:fontStyle="italic">Café &amp;</span><br/>\n   more &#8212; &lt;b&gt;</p>'),
      ['en 1', '0–1 Speaker | Café & more — <b>']
    ],
    [
      'with labels in the text',
      tt('<p begin="0s" end="1s">MARTA: One.</p><p begin="1s" end="2s">OSKAR: Two.</p>'),
      ['en 2', '0–1 MARTA | One.', '1–2 OSKAR | Two.']
    ],
    [
      'with prefixes',
      '<tt:tt xmlns:tt="http://www.w3.org/ns/ttml" xml:lang="de"><tt:body><tt:div><tt:p begin="0s" end="1s">Eins</tt:p></tt:div></tt:body></tt:tt>',
      ['de 1', '0–1 Speaker | Eins']
    ],
    [
      'with a document type, comments and CDATA',
      '<?xml version="1.0"?><!-- a --><!DOCTYPE tt SYSTEM "http://a.example/x.dtd"><tt><body><p begin="0s" end="1s"><![CDATA[One & two]]></p></body></tt>',
      ['1', '0–1 Speaker | One & two']
    ],
    [
      'with a lone cue before a silent one',
      tt('<p begin="0s" end="1s">One</p><p begin="1s" end="2s"> </p>'),
      ['en 1', '0–1 Speaker | One']
    ]
  ])('%s', (_, content, expected) => {
    expect(['a.ttml', 'a.xml', 'a.dfxp', 'a.txt'].map(name => linesOf(name, content))).toEqual(Array(4).fill(expected))
  })

  test.each([
    ['a file that is cut off', tt('<p begin="0s" end="1s">One</p>').slice(0, -8), 'The file is cut off'],
    ['a time that cannot be read', tt('<p begin="soon">One</p>'), 'The time soon cannot be read'],
    [
      'another kind of XML',
      '<?xml version="1.0"?><rss><p>One</p></rss>',
      'The file is XML of the kind <rss>: send TTML, .srt, .vtt or .txt.'
    ],
    [
      'elements within elements without end',
      `<tt><body>${'<div>'.repeat(100_000)}`,
      'The file nests more than 200 elements.'
    ],
    ['nothing that is said', tt('<p begin="0s"/>'), 'The file holds no speech.']
  ])('refuses %s', (_, content, message) => {
    expect(() => linesOf('a.xml', content)).toThrow(message)
  })

  test('does not expand entities of its own', () => {
    const bomb = `<!DOCTYPE tt [<!ENTITY a "${'x'.repeat(1000)}"><!ENTITY b "${'&a;'.repeat(1000)}">]>`
    const [, said = ''] = linesOf(
      'a.xml',
      `<?xml version="1.0"?>${bomb}<tt><body><p begin="0s" end="1s">One &b; &xxe; two</p></body></tt>`
    )
    expect(said).toBe('0–1 Speaker | One &b; &xxe; two')
  })
})

describe('reads the HTML of the podcast namespace', () => {
  const talk = `<cite>Marta:</cite>\n<time>0:00</time>\n<p>${Q}</p>\n<cite>Oskar:</cite>\n<time>0:04</time>\n<p>Caf&eacute; &amp; tea.</p>`
  const expected = ['4', `0–4 Marta | ${Q}`, '4–4 Oskar | Café & tea.']

  test.each<[string, string, string[]]>([
    ['alone', talk, expected],
    [
      'in a page',
      `<!doctype html><html><head><title>Orchard</title><style>p {}</style></head><body><script>x()</script>${talk}</body></html>`,
      expected
    ],
    [
      'with several paragraphs of a turn',
      `<cite>Marta:</cite><time>0:00</time><p>One.</p><p>Two.</p><cite>Oskar:</cite><time>1:00:04</time><p>Three.</p>`,
      ['3604', '0–3604 Marta | One. Two.', '3604–3604 Oskar | Three.']
    ],
    [
      'with a speaker without a time',
      `<cite>Marta:</cite><time>0:00</time><p>One.</p><cite>Oskar:</cite><p>Two.</p><cite>Marta</cite><time>0:10</time><p>Three.</p>`,
      ['10', '0–5 Marta | One.', '5–10 Oskar | Two.', '10–10 Marta | Three.']
    ]
  ])('%s', (_, content, lines) => {
    expect(linesOf('a.html', content)).toEqual(lines)
  })

  test('and takes the title, and names what is not speech', () => {
    const { document, warnings } = parseDocument('a.html', `<title>Orchard</title><div>Subscribe to us</div>${talk}`)
    expect([document.title, warnings]).toEqual([
      'Orchard',
      ['A part of the file is left out, because it is not speech: Subscribe to us']
    ])
  })

  test('but no other page', () => {
    expect(() => linesOf('a.html', '<p>Marta: Hello</p>')).toThrow('The file is a web page')
  })
})

describe('reads documents of Word', () => {
  test('paragraphs, line breaks and tabs, without what was deleted', async () => {
    const bytes = documentOfWord(
      '<w:p><w:r><w:t>Marta</w:t></w:r><w:r><w:tab/><w:t xml:space="preserve"> 0:03</w:t><w:br/><w:t>One &amp; two</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p><w:p/>'
    )
    expect([isZip(bytes), await readDocx(bytes)]).toEqual([true, 'Marta\t 0:03\nOne & two\n\n'])
  })

  test('the cells of a row as one line, also 60,000 of them in time in proportion to their number', async () => {
    const row = (count: number) => `<w:tr>${'<w:tc><w:p><w:r><w:t>One </w:t></w:r></w:p></w:tc>'.repeat(count)}</w:tr>`
    expect(await readDocx(documentOfWord(row(2) + row(1)))).toBe('One\tOne\nOne\n')
    // With the whole text trimmed at each cell, this takes 7 s.
    expect(await processorMs(readDocx, documentOfWord(row(60_000)))).toBeLessThan(2_000)
  })

  test.each<[string, Buffer, string | null]>([
    ['another archive', zipOf({ 'a.txt': Buffer.from('hi') }), null],
    [
      'an archive with a name that leads out of it',
      zipOf({ '../a.txt': Buffer.from('hi') }),
      'The file is a damaged zip archive.'
    ],
    ['a cut archive', documentOfWord('<w:p/>').subarray(0, 60), 'The file is a damaged zip archive.'],
    [
      'an archive that hides its size',
      zipOf({ 'word/document.xml': Buffer.alloc(5_000_000, 0x20) }, 10),
      'The file is a damaged zip archive.'
    ],
    [
      'an archive of too much text',
      zipOf({ 'word/document.xml': Buffer.alloc(65 * 1024 * 1024, 0x20) }),
      'The text is larger than 16 MiB: send it in parts.'
    ],
    [
      'a document that is cut off',
      documentOfWord('<w:p><w:r><w:t>One', false),
      'The file is cut off: it ends before its last element does.'
    ]
  ])('refuses %s', async (_, bytes, message) => {
    expect(await readDocx(bytes).catch(error => error.message)).toBe(message)
  })
})

test.each([
  [
    'a.ass',
    '[Script Info]\nScriptType: v4.00+\n\n[Events]\nDialogue: 0,0:00:01.00,0:00:04.00,Default,Marta,0,0,0,,One',
    'The file is SubStation Alpha (ASS): convert it to .srt or .vtt and send that.'
  ],
  ['a.txt', '[Script Info]\nDialogue: One', 'The file is SubStation Alpha (ASS)'],
  ['a.scc', 'Scenarist_SCC V1.0\n\n00:00:01:00\t9420 9420', 'The file is Scenarist captions (SCC)'],
  ['a.mcc', 'File Format=MacCaption_MCC V1.0\n', 'The file is Scenarist captions (MCC)'],
  ['a.stl', '850STL25.01\0\0', 'The file is Spruce or EBU subtitles (STL)'],
  ['a.sub', '{0}{25}Hello there|you', 'The file is MicroDVD or VobSub subtitles (SUB)'],
  ['a.smi', '<SAMI><BODY><SYNC Start=0><P>One', 'The file is SAMI subtitles (SMI)'],
  ['chat.txt', '10:03:22 From Marta Lind to Everyone:\n\tHello', 'The file is the chat of a meeting'],
  ['a.rtf', '{\\rtf1 Marta: One', 'The file is an RTF document'],
  ['a.eml', 'From: a@example.com\nSubject: b\n\nHello there', 'The file is an e-mail'],
  ['a.doc', 'Hello there', 'The file is an older Office document'],
  ['a.bin', 'RIFF\0\0\0\0WAVEfmt ', 'The file is a recording without its extension'],
  [
    'a.py',
    'def f(x):\n  return {"a": [x ** 2 for x in y if x != 3]}\n',
    'The format .py is not read, and the file does not read like text'
  ],
  ['a.b64', 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo'.repeat(20), 'The format .b64 is not read'],
  ['a.yaml', 'a:\n  - {b: 1, c: 2}\n  - {b: 3, c: 4}\n', 'The format .yaml is not read']
])('refuses %s %j by its name', (name, content, message) => {
  expect(() => linesOf(name, content)).toThrow(message)
})

test.each([
  ['a.transcript', 'Marta: Hello there.\nOskar: Good morning.'],
  ['a.log', 'Marta: Hello there.\nOskar: Good morning.'],
  ['a.zh', '李雷：银行批准贷款了吗？\n韩梅梅：批准了，昨天签的字。']
])('reads %s, because it reads like text', (name, content) => {
  expect(linesOf(name, content)).toHaveLength(3)
  expect(warningsOf(name, content)).toEqual([])
})

test('reads captions in a file with the extension of another format', () => {
  expect(linesOf('a.sub', '1\n00:00:01,000 --> 00:00:02,000\nHi')).toEqual(['2', '1–2 Speaker | Hi'])
})
