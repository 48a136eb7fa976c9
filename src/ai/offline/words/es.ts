import { type Lexicon, setOf } from './lexicon.ts'

export const SPANISH: Lexicon = {
  code: 'es',
  stop: setOf(`
a ahí ahora al algo algunos antes aquí así aunque bien bueno cada como cómo con contra cual cuál cuando cuándo cuánto de del desde después donde dónde dos durante e el él ella ellas ellos en entonces entre era eran eres es esa esas
ese eso esos esta está estaba estamos están estar estas este esto estos estoy fue fueron ha había han hace hacer hacia hasta hay he hemos la las le les lo los más me mejor menos mi mientras mis mismo mucho muchos muy
nada ni no nos nosotros nuestra nuestro o os otra otras otro otros para pero poco por porque pues que qué quien quién se sea ser si sí sido siempre sin sobre solo sólo somos son su sus también tan tanto te tenemos tener tengo ti tiene
tienen toda todas todo todos tu tus un una uno unos usted ustedes va vamos van vez voy y ya yo`),
  light: setOf(`
cosa cosas pregunta preguntas punto problema ejemplo parte momento veces tiempo día días semana mes año años hora horas gente tema manera forma gracias hola buena buenos buenas pequeño grande nuevo nueva nuevos hoy mañana ayer
quizás creo creer pienso pensar ver veo visto saber sabe sé decir digo dice dicho dar poner tomar hablar hablando necesita necesitamos idea caso acuerdo primero primera último próxima próximo importante señor señora tres cuatro cinco puede
puedo podemos podría debemos quiero quiere mandar enviar verdad vale claro`),
  fillers: setOf('eh em ehm mmm mm hmm este esteee ajá uy'),
  tidy: [
    [/\b(?:o sea|es decir|digamos|sabes|ya sabes)\s*,\s*/gi, ''],
    [/,\s*(?:no|verdad|vale|eh|sabes|cierto)\s*(?=[.?!]?$)/i, '']
  ],
  openers:
    /^¿?(?:(?:y|pero|pues|entonces|bueno|vale|sí|no|ok|okay|claro|bien|exacto|gracias|muchas gracias|hola|buenos días|buenas tardes|de acuerdo|mira|a ver|la verdad|por supuesto|ah|oh|eh)\s*[,.]\s*|(?:y|pero|pues) )/iu,
  badStarts: setOf('que porque cual cuyo ni o sino donde'),
  badEnds: setOf(
    'el la los las un una de del y o pero que en para con sobre por a al su sus mi nuestro nuestra este esta es son si como muy porque cuando se lo le más yo'
  ),
  verbs: setOf(''),
  nounLeads: setOf(
    'el la los las un una unos unas del al este esta estos estas ese esa mi su sus nuestro nuestra nuestros de cada otro otra'
  ),
  verbLeads: setOf('yo nosotros ellos se me te nos no lo que'),
  telling:
    /(?:\b(?:importante\w*|porque|problema|objetivo|solución|tenemos que|hay que|debemos|necesitamos|propon\w*|propuesta|resultados?|muestra|costes?|costos?|presupuesto|plazo|riesgo|recomiend\w*|por ciento|millones|plan)\b|[%€$£]|\b\d{2,}\b)/i,
  empty: /^(?:gracias|hola|buenos días|buenas|adiós|perdón|lo siento)(?=[\s,.]|$)|(?:me (?:oyen|escuchan|oyes|escuchas)|no sé|como decía)/i,
  decided:
    /(?:hemos (?:decidido|acordado|quedado)|(?:se ha|está) (?:decidido|acordado)|(?:decidimos|acordamos|quedamos en)|nos quedamos con|vamos a (?:usar|quedarnos|optar|dejar|mantener)|la decisión es)/i,
  hypothetical: /(?:^|[\s¿])(?:si|quizás|tal vez|podría|podríamos|todavía no|aún no|antes de)(?=[\s,])|\?$/i,
  open: /(?:la (?:pregunta|duda|cuestión) es|queda por (?:decidir|definir|ver)|(?:todavía|aún) no (?:sabemos|está claro|hemos decidido)|no sabemos (?:si|cuándo|cómo|qué)|no está claro|falta (?:decidir|definir)|no (?:lo )?sé (?:todavía|aún))/i,
  socialQuestion:
    /(?:me (?:oyen|escuchan|oyes|escuchas)|qué tal|cómo est[áa]|alguna pregunta|verdad\?|empezamos|de acuerdo\?|vale\?|puedes|puede usted|podrías|podría usted)/i,
  words: {
    overview: 'Resumen',
    keyPoints: 'Puntos clave',
    decisions: 'Decisiones',
    openQuestions: 'Preguntas abiertas',
    nextSteps: 'Próximos pasos',
    and: 'y',
    by: 'antes del',
    others: count => `${count} más`,
    participants: (names, alone) => (alone ? `Habló ${names}.` : `Participaron ${names}.`),
    topics: list => `Temas principales: ${list}.`,
    partial: 'Solo se resume la primera parte de la conversación.'
  }
}
