import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const MAX_LENGTH = 72
const SUBJECT = /^(feat|fix|perf|refactor|test|docs|build|ci)(\([\w, -]+\))?: \S/
/** The last commit from before the rule. */
const BEFORE = '8a22f5b'

const { status, stdout } = spawnSync('git', ['log', '--no-merges', '--format=%s', `${BEFORE}..HEAD`], {
  encoding: 'utf8'
})

test.skipIf(status !== 0)(
  `a commit says what now holds in at most ${MAX_LENGTH} characters, after its type and area`,
  () => {
    const subjects = stdout.split('\n').filter(Boolean)
    expect(subjects.filter(subject => subject.length > MAX_LENGTH || !SUBJECT.test(subject))).toEqual([])
  }
)
