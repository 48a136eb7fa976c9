/** Subjects of the made library, each with what people say about it. The first sentence contains its name. */
export const TOPICS: Record<string, string[]> = {
  pricing: [
    'The pricing page still shows three plans, and most buyers pick the middle one.',
    'If we raise the yearly plan by ten percent we lose perhaps two customers in a hundred.',
    'Small teams ask for a monthly bill without a contract.',
    'The discount for schools should stay as it is.',
    'Nobody understands what an extra seat costs.',
    'Let us test the higher price with new accounts only.',
    'The finance team wants one currency for every region.'
  ],
  hiring: [
    'For hiring we have two open positions and eleven applications.',
    'The first interview should take half an hour, not a whole morning.',
    'A candidate from last spring wants to talk to us again.',
    'The salary range has to be in the advertisement.',
    'I would rather wait a month than take the wrong person.',
    'Everyone who meets candidates needs the same list of questions.',
    'The recruiter sends us three profiles every Monday.'
  ],
  warehouse: [
    'The warehouse is full again because the autumn order came early.',
    'Two shelves near the ramp must be moved before the inspection.',
    'The scanner loses its connection behind the third row.',
    'We could rent the hall next door for half a year.',
    'Returned parcels pile up next to the packing table.',
    'A second forklift would pay for itself within a year.',
    'The night shift counts the stock on Thursdays.'
  ],
  website: [
    'The website loads slowly on phones, mostly because of the large pictures.',
    'Visitors look for the opening hours and do not find them.',
    'The contact form sends its mails to a closed mailbox.',
    'We should write the start page again, with fewer words.',
    'Search engines still list the old address.',
    'The new logo goes into the header and the footer.',
    'A link to the help pages is missing on every screen.'
  ],
  training: [
    'The training for new colleagues takes three days at present.',
    'Short videos work better than the long handbook.',
    'Everybody should repeat the safety lesson once a year.',
    'The trainer proposes groups of at most eight people.',
    'We can book the seminar room next to the canteen.',
    'After the course there is a small test with ten questions.',
    'The certificates were sent to the wrong address.'
  ],
  insurance: [
    'The insurance asks for photographs of every damaged machine.',
    'Our policy does not cover water that comes through the roof.',
    'The broker compares four offers for us.',
    'We pay less if the alarm system is checked twice a year.',
    'The claim from the storm is still open.',
    'Somebody has to sign the form before noon.',
    'A higher excess would lower what we pay by a fifth.'
  ],
  catering: [
    'The catering for the summer party needs a vegetarian menu.',
    'Last time there was too much bread and too little soup.',
    'The kitchen wants to know the number of guests ten days ahead.',
    'Plates and glasses can be borrowed from the club.',
    'Somebody is allergic to nuts, so the cake has to change.',
    'The truck with the ice cream cannot enter the yard.',
    'Coffee should be ready before the doors open.'
  ],
  printer: [
    'The printer on the second floor prints grey stripes on every sheet.',
    'A new drum costs nearly as much as a new device.',
    'The contract for maintenance ends in a few weeks.',
    'People send their pages to the wrong tray.',
    'It jams whenever the paper is damp.',
    'We could share one machine with the office upstairs.',
    'The cartridges are locked away and nobody has the key.'
  ],
  translation: [
    'The translation of the manual is late because a chapter is missing.',
    'Two reviewers disagree about the word for the handle.',
    'The Polish text is longer than the space on the label.',
    'A glossary would save us the same discussion every time.',
    'The agency charges by line and not by word.',
    'Native speakers should read the last version aloud.',
    'Screenshots have to be taken again in each language.'
  ],
  parking: [
    'The parking lot is closed on two sides while the road is repaired.',
    'Visitors get a paper card for the windscreen.',
    'Bicycles should have a roof near the entrance.',
    'The charging posts trip the fuse when all are in use.',
    'Somebody blocked the gate for the fire brigade again.',
    'We may use the church lot until noon on workdays.',
    'The painted lines are hardly visible in the rain.'
  ]
}

/** Sentences that belong to no topic. */
export const SMALL_TALK = [
  'Good morning, can you hear me well?',
  'Thanks for making the time.',
  'Let me look at my notes for a second.',
  'That is a fair point.',
  'I am not sure that I agree with this.',
  'Can you say that once more, please?',
  'We have about ten minutes left.',
  'I would like to hear what the others think.',
  'Let us write that down.',
  'Who takes care of that?',
  'Fine, then we leave it as it is for now.',
  'I will send a short message afterwards.'
]
