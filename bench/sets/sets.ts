import { readMeetings } from '../qmsum.ts'
import { languageSets } from './languages.ts'
import { makeSessions, toLibrary } from './made-library.ts'
import { meetingSets } from './meetings.ts'
import { nameSets } from './names.ts'
import { periodSet } from './periods.ts'

/** Makes all libraries with the sets of queries about them. The same folder always gives the same sets. */
export function makeSets(qmsum: string) {
  const meetings = meetingSets(readMeetings(qmsum), 'meetings')
  const sessions = makeSessions()
  const languages = languageSets(sessions, 'languages')
  return {
    libraries: [meetings.library, toLibrary('made', sessions), languages.library],
    sets: [...meetings.sets, ...nameSets(sessions, 'made'), periodSet(sessions, 'made'), ...languages.sets]
  }
}
