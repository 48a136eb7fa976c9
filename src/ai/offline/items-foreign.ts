import type { Task } from './items.ts'
import type { Context } from './items-english.ts'
import type { Sentence } from './sentences.ts'
import { DATE_WORDS, SEPARABLE, VERBS } from './words/tasks-foreign.ts'

/** The sentence with its words for days in English, which the date rules read. */
export function inEnglish(text: string, code: string): string {
  let english = text
  for (const [pattern, replacement] of DATE_WORDS[code] ?? []) english = english.replace(pattern, replacement)
  return english
}

/** The task in a German, French or Spanish sentence, if there is one. */
export function foreignTask(sentence: Sentence, code: string, context: Context): Task | undefined {
  const task = code === 'de' ? german(sentence) : code === 'fr' ? french(sentence) : code === 'es' ? spanish(sentence) : undefined
  if (!task) return undefined
  const action = withoutDay(task.action).replace(/(?<![\s,.?!])[\s,.?!]+$/, '')
  const verb = VERBS[code]
  if (!verb?.test(action)) return undefined
  return {
    ...task,
    action: action.charAt(0).toUpperCase() + action.slice(1),
    score: 3 + (context.due ? 2 : 0) - (task.doer === 'open' ? 1 : 0)
  }
}

function german({ text, question }: Sentence): Task | undefined {
  const will = /^(?:.*\b)?(?:ich werde|ich muss|werde ich) (.+) (\p{L}+en|\p{L}+ern|\p{L}+eln)[.!]$/iu.exec(text)
  if (will?.[1] && will[2]) return taskOf(`${will[1]} ${will[2]}`, 'speaker')
  const please = /\b(?:kannst|könntest|können|könnten|würdest|würden) (?:du|sie|ihr) (.+) (\p{L}+en|\p{L}+ern|\p{L}+eln)[.?!]$/iu.exec(text)
  if (please?.[1] && please[2]) return taskOf(`${please[1]} ${please[2]}`, 'asked')
  const must = /^wir (?:müssen|sollten|müssten) (.+) (\p{L}+en|\p{L}+ern|\p{L}+eln)[.!]$/iu.exec(text)
  if (must?.[1] && must[2]) return taskOf(`${must[1]} ${must[2]}`, 'open')
  const now = question ? undefined : /^(?:.*\b)?ich (\p{L}+e) (.+?)[.!]$/iu.exec(text)
  if (!now?.[1] || !now[2]) return undefined
  const infinitive = now[1].replace(/e$/, 'en').replace(/([^e])ren$/, '$1ren')
  const prefix = /(?:^|\s)(\p{L}+)$/u.exec(now[2])?.[1] ?? ''
  const separate = SEPARABLE.has(prefix.toLowerCase())
  return taskOf(separate ? `${now[2].slice(0, -prefix.length).trim()} ${prefix}${infinitive}` : `${now[2]} ${infinitive}`, 'speaker')
}

function french({ text, question }: Sentence): Task | undefined {
  const will = question ? undefined : /\bje (?:vais|dois) (?:(?:vous|te|t['’]|lui|leur) ?)?(.+?)[.!]$/iu.exec(text)?.[1]
  if (will) return taskOf(will, 'speaker')
  const future = question ? undefined : /\bj(?:e |['’])(?:(?:vous|te|t['’]|lui|leur) ?)?(\p{L}+)ai (.+?)[.!]$/iu.exec(text)
  if (future?.[1]?.endsWith('r') && future[2]) return taskOf(`${infinitiveOf(future[1])} ${future[2]}`, 'speaker')
  const please =
    /\b(?:peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|tu peux|vous pouvez) (?:s['’]il (?:te|vous) plaît )?(?:(?:me|m['’]|nous) ?)?(.+?)[.?!]$/iu.exec(
      text
    )?.[1]
  if (please) return taskOf(please, 'asked')
  const must = question ? undefined : /^(?:nous devons|on doit|il faut|il faudra|il faudrait) (.+?)[.!]$/iu.exec(text)?.[1]
  return must ? taskOf(must, 'open') : undefined
}

function infinitiveOf(future: string) {
  return future
    .replace(/enverr$/i, 'envoyer')
    .replace(/^fer$/i, 'faire')
    .replace(/endr$/i, 'endre')
}

function spanish({ text, question }: Sentence): Task | undefined {
  const will = question ? undefined : /\b(?:(?:te|le|les|os) )?voy a (.+?)[.!]$/iu.exec(text)?.[1]
  if (will) return taskOf(will, 'speaker')
  const future = question ? undefined : /(?:^|\s)(?:(?:yo|te|le|les|os|lo|la) )*(\p{L}+[aei]r)é (.+?)[.!]$/iu.exec(text)
  if (future?.[1] && future[2]) return taskOf(`${future[1]} ${future[2]}`, 'speaker')
  const please = /(?:^|[\s¿])(?:(?:me|nos) )?(?:puedes|podrías|puede usted|podría usted|puede|podría)(?: por favor)? (.+?)[.?!]$/iu.exec(
    text
  )?.[1]
  if (please) return taskOf(please, 'asked')
  const must = question ? undefined : /^(?:tenemos que|hay que|debemos) (.+?)[.!]$/iu.exec(text)?.[1]
  return must ? taskOf(must, 'open') : undefined
}

function taskOf(action: string, doer: Task['doer']): Task {
  const clause = action.replace(
    /,? (?:weil|aber|damit|sobald|wenn|parce que|mais|pour que|dès que|porque|pero|para que|cuando|en cuanto) .*$/i,
    ''
  )
  return { action: clause, doer, score: 3, worded: true }
}

/** Names of days, with the little words before them: the day is kept apart. */
function withoutDay(action: string) {
  return action
    .replace(
      /\b(?:bis zum|bis|am|zum|avant le|pour le|le|antes del|para el|el) \d{1,2}(?:\.|er)? (?:de )?(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)(?!\p{L})/giu,
      ''
    )
    .replace(
      /\b(?:(?:bis(?: zum| nächsten)?|am|avant|pour|d['’]ici(?: à)?|antes del?|para el|hasta el|el|este|ce) )?(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo)(?: prochain| que viene)?\b/giu,
      ''
    )
    .replace(
      /\b(?:bis |avant |para |d['’]ici )?(?:morgen|übermorgen|demain|nächste woche|la semaine prochaine|la semana que viene|la próxima semana|heute|aujourd['’]hui)\b|\b(?:para )?(?:mañana|hoy)(?=[\s,.]|$)/giu,
      ''
    )
    .replace(
      /(?:^|\s)(?:dir|ihnen|euch|bitte|mir|uns|noch|mal|gleich|dann|auch|por favor|s['’]il vous plaît|s['’]il te plaît)(?=\s|$)/giu,
      ' '
    )
    .replace(/\s+/g, ' ')
    .trim()
}
