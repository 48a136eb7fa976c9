import { type Lexicon, NEVER, setOf, type Wording } from './lexicon.ts'

/** Languages with minutes in their own words, but without rules for decisions and promises. */
function plain(code: string, stop: string, light: string, words: Wording, rest: Partial<Lexicon> = {}): Lexicon {
  return {
    code,
    stop: setOf(stop),
    light: setOf(light),
    fillers: setOf('eh ehm em mm hmm mhm uh um uhm ah'),
    tidy: [],
    openers: NEVER,
    badStarts: setOf(''),
    badEnds: setOf(''),
    verbs: setOf(''),
    nounLeads: setOf(''),
    verbLeads: setOf(''),
    telling: /[%€$£]|\b\d{2,}\b/,
    empty: NEVER,
    decided: NEVER,
    hypothetical: /\?$/,
    open: NEVER,
    socialQuestion: NEVER,
    words,
    ...rest
  }
}

export const ITALIAN = plain(
  'it',
  `a ad ai al alla alle allora anche ancora avere abbiamo aveva bene c'è che chi ci ciò come con così cosa cui da dal dalla dei del della delle di dire dobbiamo dopo dove due e è ecco ed era fa fare fatto già gli ha hai hanno ho
  i il in invece io la le lei li lo loro lui ma me mi mia mio molto ne nei nel nella noi non nostro o ogni ok per perché perciò però più poi può quale quando quanto quella quelle quello questa queste questi questo qui quindi se sei sempre
  senza si sì siamo siete solo sono sta stato su sua sul sulla suo tra troppo tu tutti tutto un una uno va vi voi`,
  'cose punto problema esempio parte momento volta tempo giorno giorni settimana mese anno ore gente modo grazie buongiorno ciao buono nuovo nuova oggi domani ieri credo penso vedere sapere dare mettere prendere parlare bisogno idea caso',
  {
    overview: 'Panoramica',
    keyPoints: 'Punti chiave',
    decisions: 'Decisioni',
    openQuestions: 'Domande aperte',
    nextSteps: 'Prossimi passi',
    and: 'e',
    by: 'entro il',
    others: count => `altri ${count}`,
    participants: (names, alone) => (alone ? `Ha parlato ${names}.` : `Hanno partecipato ${names}.`),
    topics: list => `Temi principali: ${list}.`,
    partial: 'È riassunta solo la prima parte della conversazione.'
  },
  {
    openers:
      /^(?:(?:e|ma|allora|quindi|beh|bene|sì|no|ok|okay|ecco|certo|grazie|ciao|buongiorno|va bene|esatto)\s*[,.]\s*|(?:e|ma|quindi) )/iu,
    badEnds: setOf('il la lo i gli le un una di e o ma che in per con su da del della al è sono se come molto perché'),
    nounLeads: setOf('il la lo i gli le un una del della dei al alla questo questa nostro nostra nel nella di'),
    empty: /^(?:grazie|ciao|buongiorno|scusa)(?=[\s,.]|$)/i,
    decided: /(?:abbiamo (?:deciso|concordato|stabilito)|è (?:stato )?deciso|decidiamo|restiamo con|la decisione è)/i,
    open: /(?:la domanda è|resta da|non è (?:ancora )?chiaro|non sappiamo (?:ancora|se)|non lo so ancora)/i
  }
)

export const PORTUGUESE = plain(
  'pt',
  `a ao aos as até bem com como da das de dela dele depois do dois dos e é ela elas ele eles em então era essa esse esta está estamos estão estar este estou eu foi gente há isso isto já lá mais mas me mesmo meu minha muito muita na não nas
  nem no nos nós nossa nosso num numa o os ou para pela pelo por porque pra quando que quem são se sem ser seu sim só sobre sua também tem têm temos ter tinha tudo um uma vai vamos você vocês vou à às`,
  'coisa coisas ponto problema exemplo parte momento vez tempo dia dias semana mês ano anos hora horas pessoas modo obrigado obrigada bom boa novo nova hoje amanhã ontem acho penso ver saber dar pôr tomar falar precisa ideia caso olá',
  {
    overview: 'Visão geral',
    keyPoints: 'Pontos principais',
    decisions: 'Decisões',
    openQuestions: 'Questões em aberto',
    nextSteps: 'Próximos passos',
    and: 'e',
    by: 'até',
    others: count => `mais ${count}`,
    participants: (names, alone) => (alone ? `Falou ${names}.` : `Participaram ${names}.`),
    topics: list => `Temas principais: ${list}.`,
    partial: 'Só a primeira parte da conversa está resumida.'
  },
  {
    openers: /^(?:(?:e|mas|então|bom|bem|sim|não|ok|okay|tá|certo|claro|obrigad[oa]|olá|bom dia|exato)\s*[,.]\s*|(?:e|mas) )/iu,
    badEnds: setOf('o a os as um uma de do da e ou mas que em no na para com por se como muito porque é são meu minha seu sua'),
    nounLeads: setOf('o a os as um uma do da dos das no na este esta esse essa nosso nossa meu minha de'),
    empty: /^(?:obrigad[oa]|olá|bom dia|boa tarde|desculpe)(?=[\s,.]|$)/i,
    decided: /(?:(?:decidimos|combinamos|ficou (?:decidido|combinado|acordado)|acordamos)|a decisão é|vamos (?:ficar com|usar|manter))/i,
    open: /(?:a (?:pergunta|questão|dúvida) é|falta (?:decidir|definir)|ainda não (?:sabemos|está claro|decidimos)|não sabemos (?:se|ainda))/i
  }
)

export const DUTCH = plain(
  'nl',
  `aan al alle als alleen altijd andere ben bij daar dan dat de deze die dit doen door dus echt een eens en er even ga gaan gaat geen had heb hebben heeft hele het hier hij hoe hun ik in is ja je jij jullie kan kunnen kunt
  maar me meer met mij mijn moet moeten naar nee niet niets nog nou nu of om omdat onder ons onze ook op over te toch toen tot u uit van veel voor waar waren was wat we weer wel welke werd wie wij wil willen worden wordt
  zal ze zeg zei zeker zelf zich zij zijn zo zou zouden`,
  'ding dingen vraag vragen punt probleem voorbeeld deel moment keer tijd dag dagen week maand jaar uur mensen manier bedankt dank goed goede nieuwe grote kleine vandaag morgen gisteren denk denken zien gezien weten weet geven nemen praten nodig idee geval hallo',
  {
    overview: 'Overzicht',
    keyPoints: 'Belangrijkste punten',
    decisions: 'Besluiten',
    openQuestions: 'Open vragen',
    nextSteps: 'Volgende stappen',
    and: 'en',
    by: 'uiterlijk',
    others: count => `${count} anderen`,
    participants: (names, alone) => (alone ? `Spreker: ${names}.` : `Deelnemers: ${names}.`),
    topics: list => `Belangrijkste onderwerpen: ${list}.`,
    partial: 'Alleen het eerste deel van het gesprek is samengevat.'
  },
  {
    openers:
      /^(?:(?:en|maar|dus|nou|ja|nee|oké|ok|okay|goed|precies|kijk|bedankt|dank je|hallo|natuurlijk)\s*[,.]\s*|(?:en|maar|dus|nou) )/iu,
    badEnds: setOf('de het een en of maar dat die in op van voor met naar bij aan is zijn als om te onze mijn heel erg omdat'),
    nounLeads: setOf('de het een deze die dit dat onze ons mijn zijn haar hun elke geen'),
    empty: /^(?:bedankt|dank|hallo|sorry|goedemorgen)\b/i,
    decided: /\b(?:we hebben (?:\S+ ){0,5}?(?:besloten|afgesproken)|besloten is|we (?:kiezen|gaan) voor|het besluit is)\b/i,
    open: /\b(?:de vraag is|nog niet duidelijk|we weten (?:nog )?niet|moeten we nog (?:beslissen|uitzoeken|bepalen))\b/i
  }
)
