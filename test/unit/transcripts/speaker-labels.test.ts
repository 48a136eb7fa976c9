import { describe, expect, test } from 'vitest'
import { assignSpeakers, LABEL_MARK } from '../../../src/features/transcripts/speaker-labels.ts'

function read(...units: string[]) {
  return assignSpeakers(units).map(parts => parts.map(({ speaker, text }) => `${speaker ?? '-'}| ${text.trim()}`))
}

const ODD_NAMES = [
  'Marta Lind | Acme',
  'oskar berg',
  'Ines Duarte - Acme Fruit',
  '📞 Reception',
  'Pia [guest]',
  'Ragnheiður Þóra (hún/she)',
  'j.novak',
  'Lea "Bee" Stone',
  'マイケル・ジョンソン',
  '田中（営業部）',
  'Ben 10:30',
  'Step 2',
  '@kim',
  'علی‌رضا'
]

describe('labels are speakers', () => {
  test('in a file in which every unit has one, whatever its letters are', () => {
    expect(read(...ODD_NAMES.map(name => `${name}: Said: so.`))).toEqual(ODD_NAMES.map(name => [`${name}| Said: so.`]))
  })

  test('in a file in which nearly every unit has one; the others continue the speaker before', () => {
    const many = Array.from({ length: 12 }, (_, index) => `${index % 2 ? 'oskar berg' : 'j.novak'}: One.`)
    expect(read(...many, '4711', 'And then: go').slice(-3)).toEqual([
      ['oskar berg| One.'],
      ['oskar berg| 4711'],
      ['oskar berg| And then: go']
    ])
  })

  test('where they mark changes, from the first unit on', () => {
    expect(
      read('Marta: One.', 'two', 'three', 'four', 'Oskar: Five.', 'six', 'seven', 'Marta: Eight.', 'Nine.')
    ).toEqual([
      ['Marta| One.'],
      ...['two', 'three', 'four'].map(text => [`Marta| ${text}`]),
      ['Oskar| Five.'],
      ...['six', 'seven'].map(text => [`Oskar| ${text}`]),
      ['Marta| Eight.'],
      ['Marta| Nine.']
    ])
  })

  test.each([
    ['SPEAKER_00', '[SPEAKER_00]: One.'],
    ['SPEAKER_00', '[SPEAKER_00] One.'],
    ['SPEAKER_01', 'SPEAKER_01: One.'],
    ['Speaker 0', '(speaker 0) One.'],
    ['-', '(speaker ?) One.'],
    ['Speaker 1', 'Speaker 1: One.'],
    ['Спикер №1', '<Спикер №1> One.'],
    ['spk_0', 'spk_0: One.']
  ])('that programs give to voices, even once: %s in %s', (speaker, unit) => {
    expect(read('Zero.', unit, 'Two.', 'Three.', 'Four.').slice(0, 3)).toEqual([
      ['-| Zero.'],
      [`${speaker}| One.`],
      [`${speaker}| Two.`]
    ])
  })

  test.each([
    ['MARTA', '[MARTA] One.', '[OSKAR] Two.'],
    ['MARTA', '- MARTA: One.', '- OSKAR: Two.'],
    ['MARTA', '>> MARTA: One.', '>> OSKAR: Two.'],
    ['Marta', '**Marta:** One.', '**Oskar:** Two.'],
    ['Marta', '**Marta**: One.', '**Oskar**: Two.'],
    ['李雷', '李雷：One.', '韩梅梅：Two.'],
    ['李雷', '李雷:One.', '韩梅梅:Two.'],
    ['מרתה', '\u200fמרתה\u200f: One.', '\u202bאוסקר\u202c: Two.'],
    ['Marta', '\ufeffMarta\u200e :\u200e One.', 'Oskar: Two.']
  ])('in the layout of %s in %s', (speaker, ...units) => {
    expect(read(...units)[0]).toEqual([`${speaker}| One.`])
  })

  test('if they bear the mark of this server, and then no others are', () => {
    expect(read(`a: b${LABEL_MARK}: One.`, 'Two', 'Marta: three')).toEqual([
      ['a: b| One.'],
      ['a: b| Two'],
      ['a: b| Marta: three']
    ])
  })
})

describe('labels are text', () => {
  test.each([
    [['We walked.', 'Then I said it.', 'Verdict: the pump is broken.', 'I will pay.', 'I call.', 'The end.']],
    [['Verdict: the pump is broken.', 'I will pay.', 'I call.', 'And that', 'was the', 'whole day.', 'Really.']],
    [['One.', 'Look: two.', 'Three.', 'Result: four.', 'Five.', 'Six.', 'Seven.', 'Look: eight.']],
    [['[Music] One.', 'Two.', '[Music] Three.', '(applause) Four.']],
    [['Date: today', 'Well.', 'See https://example.com: the site', 'Ratio 3:1']]
  ])('in %j', units => {
    expect(read(...units)).toEqual(units.map(unit => [`-| ${unit}`]))
  })

  test('within a cue that goes on', () => {
    expect(read('Marta: We need\nthe following: apples', 'Oskar: Good.')).toEqual([
      ['Marta| We need\nthe following: apples'],
      ['Oskar| Good.']
    ])
  })
})

describe('turns', () => {
  test('begin with each name of a cue', () => {
    expect(read('MARTA: One?\nOSKAR: Two.', 'MARTA: Three.', '-OSKAR: Four.\n-MARTA: And five?')).toEqual([
      ['MARTA| One?', 'OSKAR| Two.'],
      ['MARTA| Three.'],
      ['OSKAR| Four.', 'MARTA| And five?']
    ])
  })

  test('begin with dashes of an unknown speaker', () => {
    expect(read('- One?\n- Two.', '-Three?\n-No.', '– Four\n– Five', 'It is -5 degrees')).toEqual([
      ['-| One?', '-| Two.'],
      ['-| Three?', '-| No.'],
      ['-| Four', '-| Five'],
      ['-| It is -5 degrees']
    ])
  })

  test('begin with arrows, after which nobody is known', () => {
    expect(read('>> MARTA: One.', 'more', '>> Two. >> Three.', 'four')).toEqual([
      ['MARTA| One.'],
      ['MARTA| more'],
      ['-| Two.', '-| Three.'],
      ['-| four']
    ])
  })

  test('end with the mark of whisper.cpp', () => {
    expect(read('One? [SPEAKER_TURN]', 'Two. [SPEAKER_TURN] Three.')).toEqual([
      ['-| One?', '-| '],
      ['-| Two.', '-| Three.']
    ])
  })

  test('do not begin with the points of a list, nor where dashes are no turns', () => {
    const units = ['Marta: One.', 'Oskar: Two.', '- a list', '- of things', 'Marta: Three.']
    expect(assignSpeakers(units, { dashes: false })[3]).toEqual([{ speaker: 'Oskar', text: '- of things' }])
  })
})
