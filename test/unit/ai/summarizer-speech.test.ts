import { describe, expect, test } from 'vitest'
import { summarizeOffline } from '../../../src/platform/ai/summarizer/summarize.ts'

// A Wednesday.
const DAY = '2026-03-04'

/** The summary and the items of lines of "Speaker: words", ten seconds each. */
function summarize(lines: readonly string[]) {
  const segments = lines.map((line, at) => {
    const [speaker = '', text = ''] = line.split(/: (.*)/s)
    return { speaker, start: at * 10, end: at * 10 + 10, text }
  })
  return summarizeOffline({ title: '', type: 'meeting', segments, language: 'en', day: DAY })
}

const itemsOf = (...lines: string[]) => summarize(lines).actionItems
const textsOf = (...lines: string[]) => itemsOf(...lines).map(({ text }) => text)
/** A long conversation about nothing, with these lines after a share of it. */
function amid(share: number, ...lines: string[]) {
  const talk = Array.from(
    { length: 100 },
    (_, at) => `${at % 2 === 0 ? 'Cleo' : 'Dan'}: The orchard number ${at} grew pears and quinces in a dry summer.`
  )
  return talk.toSpliced(share * 100, 0, ...lines)
}

describe('a commitment in speech', () => {
  test.each([
    ["So yeah I'll go over these sketches after the call.", 'Go over these sketches after the call'],
    ['I can run another round of the load test later today.', 'Run another round of the load test later'],
    ["Okay, I'll dig you up the reference for that hinge.", 'Dig up the reference for that hinge'],
    ["I'll check in our warehouse if there's a spare pump.", "Check in our warehouse if there's a spare pump"],
    ["It's late, but I'll chase the plumber.", 'Chase the plumber'],
    ["I'll act on it, and then I'll send the sketches to the printer after the meeting.", 'Send the sketches'],
    ["I'd be happy to write to the council.", 'Write to the council'],
    ["I don't know the answer, but I'll ask the landlord tomorrow.", 'Ask the landlord']
  ])('%j is one', (said, text) => {
    expect(textsOf(`Ada: ${said}`, 'Ben: Hm.', 'Cy: Hm.')).toEqual([expect.stringContaining(text)])
  })

  test.each([
    "I'll share my screen so that you see the plan.",
    "I'll put the energy label here on the board.",
    "I'll just put a link in the chat right now.",
    "I'll draw the hinge for you on the whiteboard.",
    "I'll take notes during this meeting.",
    "I'll give you a quick overview of the report.",
    'I can confirm that the report was sent.',
    "I'm pleased to present the report tomorrow.",
    "I'm going to start with the budget report.",
    "I'll write that down.",
    "I'll talk to you about the report later.",
    "I'll saved the report in the folder."
  ])('%j is none', said => {
    expect(textsOf(`Ada: ${said}`, 'Ben: Hm.', 'Cy: Hm.')).toEqual([])
  })

  test('names what the sentence before calls by its name', () => {
    expect(textsOf('Ben: We have not seen the customs form yet.', "Ada: I'll forward it tomorrow.", 'Cy: Hm.')).toEqual(
      ['Forward the customs form']
    )
    expect(textsOf('Ben: It rains.', "Ada: I'll forward it.", 'Cy: Hm.')).toEqual([])
  })

  test('needs less of a verb where somebody asked for it and gives thanks, or where a long conversation ends', () => {
    const said = "Ada: I'll make copies of the timetable."
    expect(textsOf(said, 'Ben: Hm.')).toEqual([])
    expect(textsOf('Ben: Could we have the timetable?', said)).toEqual(['Make copies of the timetable'])
    expect(textsOf(said, 'Ben: Great, thanks.')).toEqual(['Make copies of the timetable'])
    expect(textsOf(...amid(0.9, said))).toEqual(['Make copies of the timetable'])
    expect(textsOf(...amid(0.4, said))).toEqual([])
  })

  test('is no task where people introduce themselves', () => {
    const said = "Ada: I'll be working on the buttons."
    expect(textsOf(...amid(0.02, said))).toEqual([])
    expect(textsOf(...amid(0.5, said))).toEqual(['Work on the buttons'])
  })

  test('is the surest one of a sentence', () => {
    expect(textsOf("Ada: I'll change seats, and I'll email the caterer the numbers by Friday.", 'Ben: Hm.')).toEqual([
      'Email the caterer the numbers'
    ])
  })

  test('of a named role belongs to who has it', () => {
    expect(itemsOf('Chair: The Site Manager will order the bricks.', 'Site Manager: Hm.', 'Cy: Hm.')).toMatchObject([
      { text: 'Order the bricks', assignee: 'Site Manager' }
    ])
  })
})

describe('a pause in speech', () => {
  test.each([
    ["I'll send … the lease to the notary.", 'Send the lease to the notary'],
    ["I'll send the … send the lease to the notary.", 'Send the lease to the notary'],
    ["I'll send the lease … I'd like some tea.", 'Send the lease'],
    ["The … I'll send the lease to the notary.", 'Send the lease to the notary'],
    ["I'll send {disfmarker} uh I'll send the lease to the n notary.", 'Send the lease to the notary']
  ])('does not cut %j', (said, text) => {
    expect(textsOf(`Ada: ${said}`, 'Ben: Hm.', 'Cy: Hm.')).toEqual([text])
  })

  test('at the end leaves a sentence torn', () => {
    expect(textsOf("Ada: I'll send the lease to …", 'Ben: Hm.', 'Cy: Hm.')).toEqual([])
  })
})

/** The bullets of a section, without names. */
function section(lines: readonly string[], heading: string) {
  const part = summarize(lines)
    .summary.split('## ')
    .find(each => each.startsWith(`${heading}\n`))
  return (part ?? '').split('\n').flatMap(line => /^- (?:\*\*.*?\*\*: )?(.*)/.exec(line)?.[1] ?? [])
}

describe('a decision in speech', () => {
  const decisionsOf = (...lines: string[]) => section(amid(0.4, ...lines), 'Decisions')

  test.each([
    ['I think we decided to paint the ferry green.', 'We decided to paint the ferry green.'],
    [
      "We've already decided that the kiosk would open at noon.",
      "We've already decided that the kiosk would open at noon."
    ],
    ['Our decision was to sell the old ferry.', 'Our decision was to sell the old ferry.'],
    ['It was decided that the kiosk opens at noon.', 'It was decided that the kiosk opens at noon.']
  ])('%j is one', (said, expected) => {
    expect(decisionsOf(`Ada: ${said}`, 'Ben: Hm.')).toEqual([expected])
  })

  test.each([
    'I decided to talk about the kiosk and the ferry.',
    "We haven't decided to paint the ferry green.",
    'We still need to see what we decided on the ferry paint.',
    'If we decided to paint the ferry, the kiosk would close.',
    'We agreed to discuss the ferry and the kiosk.',
    "Let's go for lunch in the kiosk near the ferry."
  ])('%j is none', said => {
    expect(decisionsOf(`Ada: ${said}`, 'Ben: Yeah, sounds good.')).toEqual([])
  })

  test('is a proposal once others agree to it', () => {
    const said = "Ada: Let's go with copper pipes in the greenhouse."
    expect(decisionsOf(said, 'Ben: It is raining.')).toEqual([])
    expect(decisionsOf(said, 'Ben: Yeah, fine.')).toEqual(["Let's go with copper pipes in the greenhouse."])
  })

  test('is a proposal once others agree to it, though somebody laughs or coughs before', () => {
    const said = "Ada: Let's go with copper pipes in the greenhouse."
    const sounds = ['Ben: {vocalsound}', 'Cy: [laughter]', 'Cy: {vocalsound} .']
    expect(decisionsOf(said, ...sounds, 'Ben: {vocalsound} Yeah , fine .')).toEqual([
      "Let's go with copper pipes in the greenhouse."
    ])
    expect(decisionsOf(said, ...sounds, 'Ben: It is raining.')).toEqual([])
  })

  test('may be a proposal that somebody asks, in the words of a statement, if others say yes', () => {
    const said = "Ada: So we'll go with copper pipes in the greenhouse?"
    expect(decisionsOf(said, 'Ben: Yeah, fine.')).toEqual(["We'll go with copper pipes in the greenhouse."])
    expect(decisionsOf(said, 'Ben: I have no idea.')).toEqual([])
    expect(decisionsOf('Ada: Should we go with copper pipes in the greenhouse?', 'Ben: Yeah, fine.')).toEqual([])
  })

  test('is a plan only if others agree in words', () => {
    const said = 'Ada: We should use copper pipes in the greenhouse.'
    expect(decisionsOf(said, 'Ben: Yeah.')).toEqual([])
    expect(decisionsOf(said, 'Ben: Yeah, good idea.')).toEqual(['We should use copper pipes in the greenhouse.'])
  })

  test('names its subject, from the sentences before if need be', () => {
    expect(decisionsOf('Ben: It rains.', 'Ben: Nobody came.', 'Ada: We all decided to remove this.')).toEqual([])
    expect(decisionsOf('Ben: Few people read the ferry timetable.', 'Ada: We all decided to remove it.')).toEqual([
      expect.stringMatching(/^We all decided to remove the ferry timetable/)
    ])
  })
})

test('key points are neither stutters, nor about the conversation, nor without a subject', () => {
  const good = 'The greenhouse needs copper pipes because the steel rusts.'
  const bad = [
    'The greenhouse pipes, the greenhouse pipes rust because of the, copper and steel.',
    'The agenda of this meeting has copper pipes and steel pipes for the greenhouse.',
    'It needs copper pipes and steel pipes for the greenhouse because of rust.'
  ]
  const points = section(
    [...bad, good, ...bad].map(text => `Ada: ${text}`),
    'Key points'
  )
  expect(points[0]).toBe(good)
})
