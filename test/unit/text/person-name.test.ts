import { expect, test } from 'vitest'
import { isPersonName, isRoleOrBot } from '../../../src/platform/text/speaker-name.ts'

test.each([
  'Ada',
  'Ada Lovelace',
  'ADA LOVELACE',
  'Dr. Ada Lovelace (Acme)',
  'Ada L.',
  "Sinéad O'Connor",
  'Ludwig van Beethoven',
  '田中',
  'Иван Петров',
  'Guest Smith'
])('%s names a person', label => {
  expect(isPersonName(label)).toBe(true)
})

test.each([
  'Speaker',
  'Speaker 1',
  'SPEAKER_00',
  'speaker-a',
  'Speaker A',
  'spk_0',
  'S1',
  'Unknown',
  'Unknown Speaker',
  'UNKNOWN',
  'Guest',
  'Guest 2',
  'Guest A',
  'Participant 3',
  'Sprecher 1',
  'Unbekannt',
  'Intervenant 2',
  'Hablante',
  '话者1',
  '発言者2',
  '说话人',
  'Q',
  'A',
  '+1 555 0100',
  'ada@example.com',
  'Note',
  '',
  ' ',
  'Interviewer',
  'Moderator',
  'Caller',
  'Agent',
  'Customer Support',
  'Me',
  'All',
  'Man 1',
  'iPhone',
  'Conference Room 4'
])('%j does not', label => {
  expect(isPersonName(label)).toBe(false)
})

test.each([
  'Project Manager',
  'User Interface',
  'Industrial Designer',
  'Marketing',
  'EF Zoom Bot',
  'Fireflies.ai Notetaker',
  "Ada's Notetaker",
  'OtterPilot',
  'Professor',
  'Grad A'
])('%s is a role or a bot', label => {
  expect(isRoleOrBot(label)).toBe(true)
})

test.each(['Ada', 'Bernard Bot', 'Minister Smith', 'Professor Ada', 'Mark Manager Jones', 'Chair Lee'])(
  '%s is neither a role nor a bot',
  label => {
    expect(isRoleOrBot(label)).toBe(false)
  }
)
