import { chownSync, mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { removeAbandoned } from '../../../src/platform/work/abandoned.ts'
import { temporaryFolder } from '../../support/folders.ts'

test.runIf(process.getuid?.() === 0)(
  'removes old temporary folders of this user, and leaves those of others, new ones and other names',
  async () => {
    const under = temporaryFolder()
    for (const name of ['upload-old', 'upload-theirs', 'upload-new', 'other-old']) {
      mkdirSync(join(under, name))
      if (name !== 'upload-new') utimesSync(join(under, name), new Date(0), new Date(0))
    }
    chownSync(join(under, 'upload-theirs'), 65_534, 65_534)
    await removeAbandoned(under, 'upload-', new Date(1))
    expect(readdirSync(under).sort()).toEqual(['other-old', 'upload-new', 'upload-theirs'])
  }
)
