import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decodeText } from '../../../src/features/transcript-formats/decode.ts'
import { type DocumentLine, readDocuments } from '../../../src/features/transcript-formats/jsonl.ts'

test.each([
  ['UTF-8', [0x48, 0xc3, 0xa9], 'Hé'],
  ['UTF-8 with a byte order mark', [0xef, 0xbb, 0xbf, 0x48, 0xc3, 0xa9], 'Hé'],
  ['UTF-16 with the low byte first', [0xff, 0xfe, 0x48, 0x00, 0xe9, 0x00], 'Hé'],
  ['UTF-16 with the high byte first', [0xfe, 0xff, 0x00, 0x48, 0x00, 0xe9], 'Hé'],
  ['UTF-16 that ends in the middle of a character', [0xfe, 0xff, 0x00, 0x48, 0x00], 'H'],
  ['windows-1252', [0x48, 0xe9, 0x20, 0x80], 'Hé €'],
  ['text with NUL', [0x48, 0x00, 0x69], 'Hi'],
  ['text with half of a surrogate pair', [0xff, 0xfe, 0x48, 0x00, 0x00, 0xd8, 0x69, 0x00], 'Hi'],
  ['nothing', [], '']
])('decodes %s', (_, bytes, text) => {
  expect(decodeText(new Uint8Array(bytes))).toBe(text)
})

const ENCODED: [encoding: string, base64: string, first: string, second: string][] = [
  [
    'windows-1251',
    'MQowMDowMDowMSwwMDAgLS0+IDAwOjAwOjA0LDAwMArA7e3gOiDM+yDu8u/w4OLo7CDk7uPu4u7wIOIg7//y7ej28y4KCjIKMDA6MDA6MDQsMDAwIC0tPiAwMDowMDowNywwMDAKz7jy8Dog1e7w7vjuLCD/IO/u5OPu8u7i6/4g8fe48i4K',
    'Анна: Мы отправим договор в пятницу.',
    'Пётр: Хорошо, я подготовлю счёт.'
  ],
  [
    'KOI8-R',
    'MQowMDowMDowMSwwMDAgLS0+IDAwOjAwOjA0LDAwMArhzs7BOiDt2SDP1NDSwdfJzSDEz8fP18/SINcg0NHUzsnD1S4KCjIKMDA6MDA6MDQsMDAwIC0tPiAwMDowMDowNywwMDAK8KPU0jog6M/Sz9vPLCDRINDPxMfP1M/XzMAg096j1C4K',
    'Анна: Мы отправим договор в пятницу.',
    'Пётр: Хорошо, я подготовлю счёт.'
  ],
  [
    'Shift-JIS',
    'MQowMDowMDowMSwwMDAgLS0+IDAwOjAwOjA0LDAwMAqTY5KGOiCL4Jdqk/qCyYypkM+PkYLwkZeC6ILcgreBQgoKMgowMDowMDowNCwwMDAgLS0+IDAwOjAwOjA3LDAwMAqX6ZbYOiCMX5bxj5GCzY6EgqqPgJT1grWC3IK3gUIK',
    '田中: 金曜日に見積書を送ります。',
    '鈴木: 契約書は私が準備します。'
  ],
  [
    'EUC-KR',
    'MQowMDowMDowMSwwMDAgLS0+IDAwOjAwOjA0LDAwMAqx6MO2vPY6ILHdv+TAz7+hILDfwPu8rbimILq4s7uw2r3AtM+02S4KCjIKMDA6MDA6MDQsMDAwIC0tPiAwMDowMDowNywwMDAKwMy/tcjxOiCw6L7gvK20wiDBprChIMHYuvHHz7DavcC0z7TZLgo=',
    '김철수: 금요일에 견적서를 보내겠습니다.',
    '이영희: 계약서는 제가 준비하겠습니다.'
  ],
  [
    'GB18030',
    'MQowMDowMDowMSwwMDAgLS0+IDAwOjAwOjA0LDAwMArA7sDXOiDO0sPH0MfG2s7lt6KxqLzboaMKCjIKMDA6MDA6MDQsMDAwIC0tPiAwMDowMDowNywwMDAKuqvDt8O3OiC6w7XEo6zO0sC017yxuLrPzayhowo=',
    '李雷: 我们星期五发报价。',
    '韩梅梅: 好的，我来准备合同。'
  ],
  [
    'Big5',
    'MQowMDowMDowMSwwMDAgLS0+IDAwOjAwOjA0LDAwMAqn9blwOiCn2q3MrFC0waSttW+z+Lv5oUMKCjIKMDA6MDA6MDQsMDAwIC0tPiAwMDowMDowNywwMDAKpP2q2jogpm6quqFBp9qo07fHs8amWKZQoUMK',
    '李雷: 我們星期五發報價。',
    '王芳: 好的，我來準備合同。'
  ],
  [
    'windows-1250',
    'MQowMDowMDowMSwwMDAgLS0+IDAwOjAwOjA0LDAwMAqjdWthc3o6IFd5nGxlbXkgdW1vd+ogdyBwabl0ZWsuCgoyCjAwOjAwOjA0LDAwMCAtLT4gMDA6MDA6MDcsMDAwClpvZmlhOiBEb2JyemUsIHByenlnb3R1auogZmFrdHVy6iBuYSBqdXRybyByYW5vLgo=',
    'Łukasz: Wyślemy umowę w piątek.',
    'Zofia: Dobrze, przygotuję fakturę na jutro rano.'
  ],
  [
    'windows-1252',
    'MQowMDowMDowMSwwMDAgLS0+IDAwOjAwOjA0LDAwMApK9nJnOiBEaWUgQuR1bWUgbfxzc2VuIGdy9t9lciB3ZXJkZW4uCgoyCjAwOjAwOjA0LDAwMCAtLT4gMDA6MDA6MDcsMDAwClpv6zogR3V0LCBpY2ggc2NoaWNrZSBkYXMgQW5nZWJvdCD8YmVybW9yZ2VuLgo=',
    'Jörg: Die Bäume müssen größer werden.',
    'Zoë: Gut, ich schicke das Angebot übermorgen.'
  ],
  [
    'windows-1253',
    'MQowMDowMDowMSwwMDAgLS0+IDAwOjAwOjA0LDAwMArN3+rv8jogyOEg8/Tl3+vv9ezlIPTnIPP97OLh8+cuCgoyCjAwOjAwOjA0LDAwMCAtLT4gMDA6MDA6MDcsMDAwCszh8d/hOiDF7fTc7uXpLCDo4SDl9O/p7Nzz+SD07yD06ezv6/zj6e8uCg==',
    'Νίκος: Θα στείλουμε τη σύμβαση.',
    'Μαρία: Εντάξει, θα ετοιμάσω το τιμολόγιο.'
  ],
  [
    'windows-1255',
    'MQowMDowMDowMSwwMDAgLS0+IDAwOjAwOjA0LDAwMArj8Ok6IPD57Ocg4Pog5Ofl5uQg4enl7SD56fnpLgoKMgowMDowMDowNCwwMDAgLS0+IDAwOjAwOjA3LDAwMAr45fo6IOjl4Swg4PDpIODr6e8g4Pog5Of54eXw6fouCg==',
    'דני: נשלח את החוזה ביום שישי.',
    'רות: טוב, אני אכין את החשבונית.'
  ],
  [
    'windows-1252 in English',
    'MQowMDowMDowMSwwMDAgLS0+IDAwOjAwOjA0LDAwMApNYXJ0YTogSXSScyBkb25lIJcgd2WSbGwgc2hpcCCTbm93lIUKCjIKMDA6MDA6MDQsMDAwIC0tPiAwMDowMDowNywwMDAKT3NrYXI6IEdvb2QuCg==',
    'Marta: It’s done — we’ll ship “now”…',
    'Oskar: Good.'
  ],
  [
    'UTF-16 without a mark, low byte first',
    'MQAKADAAMAA6ADAAMAA6ADAAMQAsADAAMAAwACAALQAtAD4AIAAwADAAOgAwADAAOgAwADQALAAwADAAMAAKAE0AYQByAHQAYQA6ACAARwBvAG8AZAAuAAoACgAyAAoAMAAwADoAMAAwADoAMAA0ACwAMAAwADAAIAAtAC0APgAgADAAMAA6ADAAMAA6ADAANwAsADAAMAAwAAoATmf3ljoAIAARYuxOH2YfZ5RO0VOlYvdOAjAKAA==',
    'Marta: Good.',
    '李雷: 我们星期五发报价。'
  ],
  [
    'UTF-16 without a mark, high byte first',
    'ADEACgAwADAAOgAwADAAOgAwADEALAAwADAAMAAgAC0ALQA+ACAAMAAwADoAMAAwADoAMAA0ACwAMAAwADAACgBNAGEAcgB0AGEAOgAgAEcAbwBvAGQALgAKAAoAMgAKADAAMAA6ADAAMAA6ADAANAAsADAAMAAwACAALQAtAD4AIAAwADAAOgAwADAAOgAwADcALAAwADAAMAAKZ06W9wA6ACBiEU7sZh9nH06UU9FipU73MAIACg==',
    'Marta: Good.',
    '李雷: 我们星期五发报价。'
  ]
]

test.each(ENCODED)('decodes captions in %s', (_, base64, first, second) => {
  const lines = decodeText(Buffer.from(base64, 'base64')).split('\n')
  expect([lines[2], lines[6]]).toEqual([first, second])
})

test('a bad byte costs one character', () => {
  const [before, after] = ['Müller: Die Bäume müssen ', 'größer werden. 我们'].map(text => Buffer.from(text))
  const text = decodeText(Buffer.concat([before!, Buffer.from([0x98]), after!]))
  expect(text).toBe('Müller: Die Bäume müssen \ufffdgrößer werden. 我们')
})

test.each([
  [
    'a code page of DOS',
    Buffer.from(
      'MQowMDowMDowMSwwMDAgLS0+IDAwOjAwOjA0LDAwMAqAra2gOiCM6yCu4q/goKKorCCkrqOuoq7gIKIgr+/irajm4y4KCjIKMDA6MDA6MDQsMDAwIC0tPiAwMDowMDowNywwMDAKj/Hi4Dogla7gruiuLCDvIK+upKOu4q6iq+4g4efx4i4K',
      'base64'
    )
  ],
  [
    'Romanian or Western European',
    Buffer.from(
      'MQowMDowMDowMSwwMDAgLS0+IDAwOjAwOjA0LDAwMAqqdGVmYW46IFZvbSB0cmltaXRlIGNvbnRyYWN0dWwgdmluZXJpLgoKMgowMDowMDowNCwwMDAgLS0+IDAwOjAwOjA3LDAwMApJb2FuYTogQmluZSwgcHJlZ+N0ZXNjIGZhY3R1cmEgcOJu4yBt4mluZS4K',
      'base64'
    )
  ],
  ['bytes of no language', Buffer.from([0x41, 0x81, 0x8d, 0x9d, 0x90, 0x20, 0x8f, 0xff, 0x41])]
])('refuses a text whose encoding is uncertain: %s', (_, bytes) => {
  expect(() => decodeText(bytes)).toThrow('The encoding of the text is uncertain: save it as UTF-8 and send that.')
})

async function* inChunks(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function collect(lines: AsyncIterable<DocumentLine>) {
  const found: unknown[] = []
  for await (const entry of lines)
    found.push('error' in entry ? [entry.line, entry.error.message] : [entry.line, entry.document.title])
  return found
}

function line(title: string) {
  return JSON.stringify({ title, segments: [{ text: 'Hé' }] })
}

test.each([1, 7, 100_000])('reads a document a line from chunks of %d bytes', async size => {
  const text = `\ufeff${line('one')}\r\n\r\n  \n{"title":1}\n{oops\n${line('two')}`
  expect(await collect(readDocuments(inChunks(text, size)))).toEqual([
    [1, 'one'],
    [4, 'Line 4: title: expected a text of at most 500 characters'],
    [5, 'Line 5: This is not valid JSON.'],
    [6, 'two']
  ])
})

test('refuses a line that is too long and reads on', async () => {
  const text = [line('one'), line('x'.repeat(200)), line('two')].join('\n')
  expect(await collect(readDocuments(inChunks(text, 16), 100))).toEqual([
    [1, 'one'],
    [2, 'Line 2 is longer than 100 bytes: send that document in parts.'],
    [3, 'two']
  ])
})

test('reads a file by its path', async () => {
  const path = join(tmpdir(), `documents-${process.pid}.jsonl`)
  await writeFile(path, `${line('one')}\n`)
  expect(await collect(readDocuments(path))).toEqual([[1, 'one']])
})

test('asks the source for no more than is read', async () => {
  let asked = 0
  async function* endless() {
    for (;;) {
      asked += 1
      yield Buffer.from(`${line(String(asked))}\n`)
    }
  }
  for await (const entry of readDocuments(endless())) if (entry.line === 3) break
  expect(asked).toBe(3)
})
