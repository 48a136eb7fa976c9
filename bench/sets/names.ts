import type { MadeSession } from './made-library.ts'
import { withoutAccents, withTypo } from './people.ts'
import type { Query, QuerySet } from './query-set.ts'
import { openRandom } from './random.ts'

const ASKED: ((name: string) => string)[] = [
  name => name,
  name => `the conversation with ${name}`,
  name => `what did ${name} say`
]

/** Makes queries for the guest of each session: the name as written, without its accents, and with a typo. */
export function nameSets(sessions: readonly MadeSession[], library: string): QuerySet[] {
  const random = openRandom(3)
  const names = new Set(sessions.flatMap(({ guest }) => [...guest.split(' '), ...withoutAccents(guest).split(' ')]))
  const set = (name: string, written: (guest: string) => string): QuerySet => ({
    name: `names/${name}`,
    library,
    queries: sessions.map(
      ({ guest, document }, n): Query => ({
        text: ASKED[n % ASKED.length]!(written(guest)),
        session: document.external_id
      })
    )
  })

  /** Returns the name with a typo that does not make another name of the library. */
  function mistyped(guest: string) {
    const parts = guest.split(' ')
    const at = parts[1]!.length >= 5 ? 1 : 0
    for (;;) {
      const typo = withTypo(parts[at]!, random)
      if (!names.has(typo)) return parts.with(at, typo).join(' ')
    }
  }

  return [
    set('with accents', guest => guest),
    set('without accents', withoutAccents),
    set('with a typo', guest => mistyped(withoutAccents(guest)))
  ]
}
