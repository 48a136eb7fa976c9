/** Expressions for the beginnings of actions: "send …", "take care of …". */
function beginnings(list: string) {
  return new RegExp(`^(?:${list.split(/,\s+/).join('|')})(?!\\p{L})`, 'iu')
}

/** Work that is done after a conversation. */
export const WORK = beginnings(
  String.raw`send, e-?mail, mail, draft, prepare, (?:re)?schedule, circulate, distribute, forward, upload, submit, publish, review, update,
  investigate, fix, arrange, organi[sz]e, book, order, buy, contact, consult, share, finish, complete, document, invite, research, compile,
  collect, deliver, transcribe, summari[sz]e, analy[sz]e, implement, rerun, retrain, double-?check, ship, deploy, print, post, sign, hire,
  approve, register, translate, renew, cancel, purchase, clarify, (?:follow|look it|sort|chase|type|set|sign) (?:up|out), look (?:into|up),
  find (?:out|an?|some|someone), check (?:with|on|whether|if), get back to, get (?:in touch|hold), put together, report back, take care of,
  write (?:up|to|back|an?|the|some|him|her|them|that up), take a (?:closer )?look at, work on, hand out, draw up, come up with, figure out,
  get (?:\p{L}+ )?(?:an?|some|the) (?:\p{L}+ )?(?:quote|copy|estimate|answer|numbers), reach out, see (?:if|whether),
  let (?:you|everyone|them|him|her|people) know, make sure (?:that|to|the|we),
  make (?:an?|the|some) (?:list|copy|copies|draft|appointment|reservation|summary|slides|schedule|plan|prototype)`
)

/** Work once it names its object. */
export const OBJECT_WORK = beginnings(
  `check, ask, add, make, do, run, get, put, change, generate, measure, compare, record, call, provide, confirm, test, track, ring, phone, pay,
  clean, copy, create, build, develop, write, label, extract`
)

/** Such work without its object, which is done on the spot: "check that". */
export const DANGLING = /^\S+ (?:it|that|this|you|back to|up here|one (?:more|second)|an example|my best|the (?:floor|point)|and)\b/i

/** Work when it has a day. */
export const DAY_WORK = beginnings('remind, talk, speak, meet, try, bring, give, show, take, look, move, present, go, read, start, discuss')

/** Words about the conversation itself. */
export const TALK = beginnings(
  String.raw`share (?:(?:my|our|the) (?:time|screen|view)|with you), finish (?:up|off|there|with|here|my|\.|$), see (?:if|whether) (?:I|you) can,
  \p{L}+ (?:an?|one|two|some) (?:guess|moment|minute|second|break|question|comment|quick|brief|bit|little|two|point|observation|statement),
  let (?:you|everyone|them) know (?:that|when you), figure out (?:that|this|it|what (?:you|we)), (?:take|write) (?:the |some )?(?:notes|minutes),
  make sure (?:that )?(?:I|you|it|we) (?:understand|understood|get|got|have|is), get back to (?:that|this|it|you on|the|my|where|work),
  work (?:on )?(?:it|that|this|together|fast|out), remind (?:members|everyone|the|all|you|people|us|my)`
)

/** Words before the verb. */
export const FILLING =
  /^(?:(?:also|then|just|please|maybe|perhaps|definitely|probably|certainly|actually|quickly|really|go ahead and|try (?:to|and)|have to|need to|be sure to|all|both|guys|so)[\s,]+)+/i
