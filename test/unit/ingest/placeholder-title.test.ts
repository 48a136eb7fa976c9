import { expect, test } from 'vitest'
import { isPlaceholderTitle } from '../../../src/features/ingest/placeholder-title.ts'

test.each([
  'transcript',
  'Untitled',
  'GMT20260817-140003 Recording',
  'GMT20260817-140003_Recording_1920x1080',
  'audio1234567890',
  'zoom_0',
  'New Recording 12',
  'Recording on 3 March 2026 at 14.05',
  '2026-03-02 10-00-00',
  'Meeting transcript (final)',
  ''
])('%j tells nothing of a conversation', title => {
  expect(isPlaceholderTitle(title)).toBe(true)
})

test.each([
  'Weekly review',
  'weekly',
  'Recording of the choir',
  'Call with Ada',
  'Meeting 7: budget',
  'Interview',
  '会議',
  'Kickoff',
  'Monday meeting',
  'Session 5',
  'Call',
  '1:1',
  'Q3',
  '🎉'
])('%j is a title', title => {
  expect(isPlaceholderTitle(title)).toBe(false)
})
