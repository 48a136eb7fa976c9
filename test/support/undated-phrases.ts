import { drawer } from './drawn.ts'
import { MONTHS, WEEKDAYS } from './due-phrases.ts'

const SEEDS = Array.from({ length: 60 }, (_, index) => index)

/** Fills the holes of each template from lists, each of which advances at its own pace. */
function filled(templates: string[], copies: number): string[] {
  const seeds = SEEDS.slice(0, copies)
  const phrases = templates.flatMap(template =>
    seeds.map(seed => template.replace(/[WVMNDEY]/g, hole => fill(hole, seed)))
  )
  return [...new Set(phrases)]
}

function fill(hole: string, seed: number): string {
  const date = 1 + ((seed * 11) % 27)
  const filling: Record<string, string | undefined> = {
    W: WEEKDAYS[seed % 7],
    V: WEEKDAYS[(seed + 1 + (seed % 6)) % 7],
    M: MONTHS[seed % 12],
    N: MONTHS[(seed + 1 + (seed % 11)) % 12],
    D: String(date),
    E: String(date + 1),
    Y: String(2028 + (seed % 3))
  }
  return filling[hole] ?? hole
}

/** Returns random letters and digits, whose consonants form no word longer than two letters. */
function scrambled(seed: number): string {
  const signs = 'qxzkjvwgb 7!?/-.:,#0'
  const draw = drawer(seed * 7919 + 17)
  return Array.from({ length: 3 + (seed % 40) }, () => signs[Math.floor(draw() * signs.length)]).join('')
}

const list = (words: string) => words.split('|')

const scripts = list(
  '明天|下周五|星期五|三天后|2028年3月5日|３月５日|五月五日|今日|来週の金曜日|12月3日まで|内周五|다음 주 금요일|3월 5일|내일|غدا|يوم الجمعة|٥ مارس ٢٠٢٨|٢٠٢٨-٠٣-٠٥|بعد ثلاثة أيام|завтра|в пятницу|5 марта|через 3 дня|до конца месяца|пятница|कल|शुक्रवार|५ मार्च|२०२८-०३-०५|तीन दिन में|מחר|יום שישי|พรุ่งนี้|วันศุกร์|αύριο|Παρασκευή|ngày mai|mañana|el viernes|morgen|nächsten Freitag|vendredi prochain|le 5 mars|5. März 2028|domani|amanhã|piątek|２０２８-０３-０５|2028-０3-05|２０２８／０３／０５|Ｆｒｉｄａｙ|Mаrch 5|Frіday|ſaturday|Fri\u200bday|March ５|５/６|in ３ days|Friday 明天|5 日|Friday\u202e'
)

/** Phrases that name no day, several days, or anything besides a day, by kind. */
export const UNDATED: Record<string, string[]> = {
  'two dates': filled(
    list(
      'W or V|W and V|W, V|W & V|W/V|W then V|M D and N E|M D or E|M D, E|D and E M|M D / N E|D/3 and E/4|W or tomorrow|today or tomorrow|tomorrow, W|Y-03-05 or Y-03-06|Y-03-05, Y-03-06|W M|W W|M D N E|by W, M D or E'
    ),
    14
  ),
  ranges: filled(
    list(
      'W to V|W-V|W – V|W through V|W until V|M D-E|M D–E|M D to N E|D-E M|D to E M|between W and V|from M D|since W|from W to V|Y-03-05 to Y-03-09|Y-03-05/Y-03-09|between D and E M|M D through E, Y|in D-E days|in D to E days|D/3-E/3'
    ),
    14
  ),
  recurring: filled(
    list(
      'every W|each W|Ws|on Ws|every other W|every D days|every week|W mornings|weekly|daily|monthly|yearly|every M D|annually on M D|the first W of M|every W until M D|weekdays|D times a week'
    ),
    14
  ),
  'times alone': list(
    '3pm|15:00|noon|midnight|at 5|at 5:30|9 o’clock|9am-5pm|12:00:00|T12:00|17:00 UTC|morning|this morning|this evening|evening|in the afternoon|at night|5 p.m.|half past five|00:00'
  ),
  durations: filled(
    list(
      'for D days|for a week|for a year|D hours|in D hours|in D minutes|in D seconds|in D.5 days|in half a day|in a few days|several weeks|next D days|last D days|past E weeks|D-E days|in D business days|a fortnight|-D days|in -D days|D days after W|D days before W|a week from W|P3D'
    ),
    14
  ),
  numbers: filled(
    list(
      'D|-D|D.E|DE|Y|Y03|Y0305|D/E/27|E/D/05|27/12/D|D-E-28|D.E.|D.E|D%|#D|D:|0|00/00|0/5|5/0|13/13|99/99|1/2/3|1e3|0x10|1/2/3/4|D/E/YY|W D|M D E|M 32|D 5|Q3 Y|KW D|week D|Infinity|NaN|١٢'
    ),
    14
  ),
  'other scripts and languages': scripts,
  nonsense: [
    ...filled(
      list(
        'banana|Wish|Mly|Mish D|D M?|W?|not W|W banana|banana W|call Bob on W|call Bob M D|W 25:00|tomorrow at 24:01|tomorrow at 5:60|Y-03-05 soon|Y-03-05T25:00|Y-03-05T00:00+99:99|Y-3|Y-03-05-07|Y-02-30|M D B C|Mday|to morrow|to-day|W W W|next next W|this next W|next|this|by|the|due|on the|W the D|may|march|sat down|sun and moon|null|undefined|true|{}|[]|"W"|<b>W</b>|W\u0000|@W|W;DROP TABLE'
      ),
      9
    ),
    ...SEEDS.flatMap(seed => [scrambled(seed), scrambled(seed + 60)])
  ],
  'too vague': filled(
    list(
      'soon|asap|later|whenever|TBD|n/a|none|someday|M|M Y|early M|mid M|late M|this week|this month|next month|next year|this year|Q1|Q3|next week|end of this quarter|end of the quarter|next quarter|weekend|this weekend|next weekend|weekday|last W|past W|after W|last week|last month|around M D|about W|before the weekend|M D-ish|in the next D days|the other day|in a while|after M D|W week|W or so|maybe W|in M|spring Y'
    ),
    12
  ),
  'long or adversarial': SEEDS.flatMap(seed => adversarial(seed))
}

function adversarial(seed: number): string[] {
  const long = 90 + seed * 40
  return [
    `${'99:99 '.repeat(14 + (seed % 2))}Friday ${'x'.repeat(1 + (seed % 5))}`,
    `${['1:00  ', '1 ', 'a ', '((((', '----', 'the ', 'by ', '1,', 'in ', '3 pm '][seed % 10]?.repeat(seed + 5)}x`,
    `${['Friday ', 'March 5 ', '3/4 ', '2028-03-05 ', 'in 3 days ', 'one day and ', '1 day, ', 'tomorrow ', 'next ', 'twenty '][seed % 10]?.repeat(2 + seed)}`,
    `Friday${' '.repeat(seed + 100)}x`,
    `${'a'.repeat(long)} Friday`,
    `Friday ${'9'.repeat(long)}`
  ]
}
