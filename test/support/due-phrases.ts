import { dayOf, fieldsOf, monthLength, twoDigits, weekdayOf, written } from './calendar.ts'

/** The words, and the function from today to the day that they name; null where they name none. */
export type DuePhrase = readonly [words: string, due: (today: number) => number | null]

export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
export const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const SHORT_WEEKDAYS = [
  ['Sun'],
  ['Mon'],
  ['Tue', 'Tues', 'tue.'],
  ['Wed', 'Weds'],
  ['Thu', 'Thur', 'Thurs'],
  ['Fri', 'fri.'],
  ['Sat', 'SAT']
]
const UP_TO_TWELVE = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve'
]
const UNITS = 'first second third fourth fifth sixth seventh eighth ninth'.split(' ')
const TEENS =
  'tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth'.split(
    ' '
  )
const ORDINALS = [...UNITS, ...TEENS, ...UNITS.map(unit => `twenty-${unit}`), 'thirtieth', 'thirty first']
const LEADS = ['', 'by ', 'on ', 'due ', 'Due on ', 'before ', 'due: ', 'by 5pm on ', '- ', 'EOD ', '(']
const TAILS = [
  '',
  '.',
  ' at 5pm',
  ', 17:00',
  ' EOD',
  '!',
  ' at noon',
  ' by 9:30 a.m.',
  ')',
  ', close of business',
  ' afternoon',
  ' 11 PM PST',
  ' at 17:30 UTC+2'
]

const leapYear = Array.from({ length: 366 }, (_, index) => fieldsOf((dayOf(2028, 1, 1) ?? 0) + index))
const weekdays = WEEKDAYS.flatMap((name, weekday) =>
  [name, name.toLowerCase(), ...(SHORT_WEEKDAYS[weekday] ?? [])].map(word => ({ word, weekday }))
)

function upTo<T>(count: number, of: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => of(index))
}

function dressed(index: number, words: string): string {
  return `${LEADS[index % LEADS.length]}${words}${TAILS[index % TAILS.length]}`
}

function ordinal(date: number): string {
  const suffix = date > 3 && date < 21 ? 'th' : (['th', 'st', 'nd', 'rd'][date % 10] ?? 'th')
  return `${date}${suffix}`
}

const comingWeekday = (weekday: number) => (today: number) => today + ((weekday - weekdayOf(today) + 7) % 7)
const mondayOf = (day: number) => day - ((weekdayOf(day) + 6) % 7)
const inWeek = (weekday: number, weeks: number) => (today: number) => mondayOf(today) + 7 * weeks + ((weekday + 6) % 7)
const always = (day: number | null) => () => day

/** Returns the first day from today on that `of` gives for this year or the next. */
function coming(of: (year: number) => number | null) {
  return (today: number) => {
    const { year } = fieldsOf(today)
    return [of(year), of(year + 1)].find(day => day !== null && day >= today) ?? null
  }
}

function inMonths(count: number) {
  return (today: number) => {
    const { year, month, date } = fieldsOf(today)
    const months = year * 12 + month - 1 + count
    const [toYear, toMonth] = [Math.floor(months / 12), (months % 12) + 1]
    return dayOf(toYear, toMonth, Math.min(date, monthLength(toYear, toMonth)))
  }
}

function monthDay(index: number, month: number, date: number): string {
  const name = MONTHS[month - 1] ?? ''
  const short = name.slice(0, 3)
  const spellings = [
    `${name} ${date}`,
    `${short} ${date}`,
    `${date} ${name}`,
    `${ordinal(date)} of ${name}`,
    `the ${ordinal(date)} of ${short}`
  ]
  spellings.push(
    `${name} ${ordinal(date)}`,
    `${short}. ${date}`,
    `${date} ${short}`,
    `${ordinal(date)} ${name.toUpperCase()}`,
    `${date}-${short}`
  )
  spellings.push(
    `${name.toLowerCase()} the ${ordinal(date)}`,
    `${short}-${twoDigits(date)}`,
    `${twoDigits(date)}${short}`,
    `${name}  ${date}`
  )
  spellings.push(
    `the ${ORDINALS[date - 1]} of ${name}`,
    `${name} ${ORDINALS[date - 1]}`,
    month === 9 ? `Sept. ${date}` : `${short}/${date}`
  )
  return spellings[index % spellings.length] ?? ''
}

function fullDate(index: number, year: number, month: number, date: number): string {
  const name = MONTHS[month - 1] ?? ''
  const short = name.slice(0, 3)
  const spellings = [
    `${name} ${date}, ${year}`,
    `${date} ${name} ${year}`,
    `${short} ${ordinal(date)} ${year}`,
    `${date}-${short}-${year}`
  ]
  spellings.push(
    `the ${ordinal(date)} of ${name}, ${year}`,
    `${year}/${month}/${date}`,
    date > 12 ? `${month}/${date}/${year}` : `${year}/${month}/${date}`,
    `${date}${short}${year}`
  )
  spellings.push(
    `${year}-${short}-${date}`,
    `${short}. ${date} ${year}`,
    `${year}.${twoDigits(month)}.${twoDigits(date)}`,
    `${name} ${ordinal(date)},${year}`
  )
  return spellings[index % spellings.length] ?? ''
}

const dates = (copies: number) =>
  upTo(copies, copy => leapYear.map((fields, index) => ({ ...fields, index: index + copy * 5 }))).flat()

/** A weekday beside a date must match it. */
const withWeekday = leapYear.map(({ month, date }, index): DuePhrase => {
  const year = 2027 + (index % 4)
  const day = dayOf(year, month, date)
  const name = WEEKDAYS[((day === null ? 0 : weekdayOf(day)) + (index % 3 === 0 ? 1 + (index % 6) : 0)) % 7] ?? ''
  return [
    `${index % 2 ? name : name.slice(0, 3)}, ${fullDate(index, year, month, date)}`,
    always(index % 3 === 0 ? null : day)
  ]
})

const slashes = leapYear.map(({ month, date }, index): DuePhrase => {
  const dayFirst = date > 12 && index % 2 === 0
  const numbers = dayFirst ? `${date}/${month}` : `${month}/${date}`
  const plain = date > 12 || date === month
  return index % 3
    ? [dressed(index, numbers), coming(year => (plain ? dayOf(year, month, date) : null))]
    : [`${numbers}/2029`, always(plain ? dayOf(2029, month, date) : null)]
})

/** Day first or month first is decided by a number above twelve, or by equal numbers. */
const dotted = leapYear.map(({ month, date }, index): DuePhrase => {
  const mark = index % 2 ? '.' : '-'
  const plain = date > 12 || date === month
  return [`${date}${mark}${twoDigits(month)}${mark}2028`, always(plain ? dayOf(2028, month, date) : null)]
})

const spans = upTo(61, count => {
  const words = UP_TO_TWELVE[count + 1] ? (UP_TO_TWELVE[count] ?? '') : String(count)
  return [
    [`in ${count} days${TAILS[count % TAILS.length]}`, (today: number) => today + count],
    [`within ${count} days`, (today: number) => today + count],
    [`${count} days from now`, (today: number) => today + count],
    [`${count} days ago`, (today: number) => today - count],
    [`+${count}d`, (today: number) => today + count],
    [`in ${count} weeks`, (today: number) => today + 7 * count],
    [`${count} weeks from today`, (today: number) => today + 7 * count],
    [`in ${count} weeks and ${count % 7} days`, (today: number) => today + 7 * count + (count % 7)],
    [dressed(count, `${count} weeks`), (today: number) => today + 7 * count],
    [`${count} days`, (today: number) => today + count],
    [`in ${count} months`, inMonths(count)],
    [`${count} months`, inMonths(count)],
    [`in ${count} years`, inMonths(12 * count)],
    [`${count} years from now`, inMonths(12 * count)],
    [`${count} months from now`, inMonths(count)],
    ...(count > 0 && count < 12
      ? [
          [`in ${words} days`, (today: number) => today + count] as const,
          [`in ${words} weeks`, (today: number) => today + 7 * count] as const
        ]
      : [])
  ] satisfies DuePhrase[]
}).flat()

const aFewWords: DuePhrase[] = [
  ...['in a week', 'within a week', 'a week from now', 'a week from today', 'in one week', '+1 week', 'a week'].map(
    (words): DuePhrase => [words, today => today + 7]
  ),
  ...['in a year', 'a year', 'within one year', 'a year from today', '+1 year'].map(
    (words): DuePhrase => [words, inMonths(12)]
  ),
  ['a year ago', inMonths(-12)],
  ['two months', inMonths(2)],
  ['a day', today => today + 1],
  ...['in a month', 'in one month', 'a month from now', '+1 month'].map((words): DuePhrase => [words, inMonths(1)]),
  ['a month ago', inMonths(-1)],
  ['in a couple of days', today => today + 2],
  ['in a couple of weeks', today => today + 14],
  ...[
    'today',
    'tonight',
    'now',
    'tonight at 2am',
    'EOD',
    'end of the day',
    'today at 23:59',
    'tonight at 9pm',
    'midnight today'
  ].map((words): DuePhrase => [words, today => today]),
  ...['tomorrow', 'tmr', 'tmrw', 'TOMORROW'].flatMap(words =>
    upTo(13, (index): DuePhrase => [dressed(index, words), today => today + 1])
  ),
  ...['day after tomorrow', 'the day after tomorrow', 'by noon the day after tomorrow'].map(
    (words): DuePhrase => [words, today => today + 2]
  ),
  ['yesterday', today => today - 1]
]

function monthEnd(months: number) {
  return (today: number) => {
    const first = today - fieldsOf(today).date + 1
    return (inMonths(months + 1)(first) ?? 0) - 1
  }
}

function yearEnd(years: number) {
  return (today: number) => dayOf(fieldsOf(today).year + years, 12, 31)
}

/** The day with that date, so many months after today's month. Null if that month lacks it. */
function dateIn(months: number, date: number) {
  return (today: number) => {
    const { year, month } = fieldsOf(inMonths(months)(today - fieldsOf(today).date + 1) ?? 0)
    return dayOf(year, month, date)
  }
}

const nextDate = (date: number) => (today: number) =>
  [0, 1, 2].map(months => dateIn(months, date)(today)).find(day => day !== null && day >= today) ?? null
const upcoming = (due: (today: number) => number | null) => (today: number) => {
  const day = due(today)
  return day !== null && day >= today ? day : null
}
const daysOfMonth = upTo(31, index => index + 1).flatMap((date): DuePhrase[] => [
  [dressed(date, `the ${ordinal(date)}`), nextDate(date)],
  [ordinal(date), nextDate(date)],
  [`by the ${ORDINALS[date - 1]}`, nextDate(date)],
  [`the ${ordinal(date)} of this month`, upcoming(dateIn(0, date))],
  [`the ${ordinal(date)} of next month`, dateIn(1, date)]
])

const endOfMonth = (index: number) => coming(year => dayOf(year, index + 1, monthLength(year, index + 1)))
const ends: DuePhrase[] = [
  ...[
    'end of month',
    'end of the month',
    'by the end of the month',
    'the last day of the month',
    'end of this month'
  ].map((words): DuePhrase => [words, monthEnd(0)]),
  ...['end of next month', 'the last day of next month'].map((words): DuePhrase => [words, monthEnd(1)]),
  ...['end of year', 'by the end of the year', 'the last day of this year'].map(
    (words): DuePhrase => [words, yearEnd(0)]
  ),
  ...['end of next year', 'the last day of next year'].map((words): DuePhrase => [words, yearEnd(1)]),
  ['by the end of 2029', always(dayOf(2029, 12, 31))],
  ...MONTHS.flatMap((name, index): DuePhrase[] => [
    [`end of ${name}`, endOfMonth(index)],
    [`by the end of ${name.slice(0, 3)}.`, endOfMonth(index)],
    [`the last day of ${name}, 2029`, always(dayOf(2029, index + 1, monthLength(2029, index + 1)))]
  ])
]

const CLOCKS = [
  '',
  'T00:00Z',
  'T23:59:59-11:00',
  'T00:00:00+14:00',
  ' 09:30',
  'T23:59:59.999Z',
  't12:00+0530',
  'T01:00-08'
]
const iso = leapYear.flatMap(({ month, date }, index): DuePhrase[] => {
  const day = dayOf(2028, month, date)
  const words = written(day ?? 0)
  return [
    [`${words}${CLOCKS[index % CLOCKS.length]}`, always(day)],
    [index % 3 ? `by ${words}` : `2029-${month}-${date}`, always(index % 3 ? day : dayOf(2029, month, date))]
  ]
})

const missing = upTo(14, index => index).flatMap((month): DuePhrase[] =>
  [0, 30, 31, 32, 99].map(
    (date): DuePhrase => [`2027-${twoDigits(month)}-${twoDigits(date)}`, always(dayOf(2027, month, date))]
  )
)
const missingNamed = MONTHS.flatMap((name, index): DuePhrase[] => [
  [`${name} ${monthLength(2028, index + 1) + 1}`, always(null)],
  [`${monthLength(2028, index + 1) + 1} ${name} 2028`, always(null)],
  [`${name} 0`, always(null)],
  [`${index + 1}/${monthLength(2028, index + 1) + 1}`, always(null)]
])

/** Every phrase that names one day, by kind. */
export const DATED: Record<string, DuePhrase[]> = {
  weekday: weekdays.flatMap(({ word, weekday }, nth) =>
    upTo(13, (index): DuePhrase => [dressed(index + nth, word), comingWeekday(weekday)])
  ),
  'this weekday': weekdays.map(({ word, weekday }): DuePhrase => [`this ${word}`, comingWeekday(weekday)]),
  'next weekday': weekdays.map(
    ({ word, weekday }, index): DuePhrase => [dressed(index, `next ${word}`), inWeek(weekday, 1)]
  ),
  'weekday next week': weekdays.flatMap(({ word, weekday }): DuePhrase[] => [
    [`${word} next week`, inWeek(weekday, 1)],
    [`by ${word} of next week`, inWeek(weekday, 1)]
  ]),
  'weekday this week': weekdays.map(
    ({ word, weekday }): DuePhrase => [
      `${word} this week`,
      today => (inWeek(weekday, 0)(today) >= today ? inWeek(weekday, 0)(today) : null)
    ]
  ),
  'month and day': dates(2).map(
    ({ month, date, index }): DuePhrase => [
      dressed(index, monthDay(index, month, date)),
      coming(year => dayOf(year, month, date))
    ]
  ),
  'full date': dates(1).map(({ month, date, index }): DuePhrase => {
    const year = 2027 + (index % 5)
    return [dressed(index, fullDate(index, year, month, date)), always(dayOf(year, month, date))]
  }),
  'weekday and date': withWeekday,
  'numbers with slashes': slashes,
  'numbers with dots and dashes': dotted,
  span: spans,
  'a few words': aFewWords,
  'end of a month or year': ends,
  'day of a month': daysOfMonth,
  iso,
  'a day that does not exist': [...missing, ...missingNamed]
}
