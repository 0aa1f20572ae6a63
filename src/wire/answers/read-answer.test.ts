import { describe, expect, test } from 'vitest';
import { expectLinearTime } from '../../../test/harness/linear-time.ts';
import { type Answer, readAnswer } from './read-answer.ts';
import { answerWords, type Language, languages } from './words.ts';

const meaning = (text: string, language: Language, digits = false) =>
  readAnswer(text, answerWords({ language, digits })).meaning;

/** Answers as people write them, by language. `?` alone is a question, and anything other than YES or NO is a comment. */
const corpus = {
  en: {
    yes: [
      'Yes when? | Yes, what time? | Ok thanks | Yes sorry for the late reply | yes 100% | Yes no worries',
      'Yes see you at 7',

      'YES | Yes | yes | yes pls | Yes! | YES!!! | yes. |  yes  | Yes, but not before 8 | "YES" | yess',
      'yesss | Yep | yeah sure | Yup | Y | ok | OK | Ok! | Okay | ok I will come | Sure | sure thing',
      '👍 | 👍👍 | 👍🏽 | 👍 on my way | yes 👎 | 😀 yes | ＹＥＳ | yes no problem | Absolutely | coming | *yes*',
      '(yes) | - yes',
    ],
    no: [
      'No thanks | No, I am working | No. Sick kid. | Ok, not today | Nope not tonight | No not me | No 2 kids sick',

      'NO | No | no | no sorry | No, I am in Spain | no. | NO! | nope | Nope, sorry | nah | 👎 | 👎🏾 | N',
      "noo | can't | Can't make it | Can’t tonight | cannot | sorry, no | Sorry | STOP | stop | no way",
      'Absolutely not | certainly not! | Sure, not',
    ],
    query: ['? | ?? |  ?  | ❓ | ？ | ?!'],
    comment: [
      'Yes? | Ok? | Sorry? | Sorry, wrong number | Y/N? | yes and no | Yes, no, wait | No yes I can | Yeah no | Ok who is this',
      'Yeah right | Yes probably | No, not a problem | No trouble at all | No longer work here | ok when | Negative test today',
      "Sorry, I can't talk right now. | Can't talk now. What's up? | Can't wait! | Cannot open the link | Coming down with flu | Sure wish I could",
      "I'm driving with Do Not Disturb While Driving turned on. | Thank you for your message. I am on leave until 5 January. | This number is no longer in use.",
      'Auto-reply: in a meeting | OOO until Tuesday | Delivered | Received',

      'no problem | No problem, I will be there | no worries | Who is asking? | What time? | maybe',
      'Maybe yes | I can come at 9 | I am ill | Automatic reply: I am out of office',
      'No-reply: this mailbox is not read | noreply | yesterday | Norway | yes or no? | 1 | 2 | ...',
      '😀 | call me | north entrance | Thanks | wrong number | Do I get paid? | yesno',
      'Out of office until Monday. Yes, really.',
    ],
  },
  sv: {
    yes: [
      'Självklart | Javisst! | Jadå | Jajamän | Klart jag kommer | Klart! | Naturligtvis | Ja, vilken tid? | Nå, ja visst',

      'JA | Ja | ja | JA! | Ja tack | Ja tack men först kl 8 | ja absolut | Japp | jaa | jaaaa',
      'Jajamen | jepp | Jo | jodå | Absolut | visst | Visst kan jag det | Gärna! | ok | Okej',
      'ja, jag kommer | ja😀 | 👍 | Ja det går bra | yes | ja/Anna',
    ],
    no: [
      'Tyvär ej | Nepp | nejdå | Nej, inte idag | Nä har redan jobbat | Nej men fråga Bo',

      'Absolut inte | visst inte',
      'NEJ | Nej | nej | nej tyvärr | Nej tack | nej, jag är sjuk | nä | Nää | nix | Tyvärr',
      'tyvärr kan jag inte | nej!! | NEJ. | 👎 | näpp | no',
    ],
    query: ['? | ???'],
    comment: [
      'Nå mig efter 8 | Ja nej jag vet inte | Ja? | Klar med passet | Ja och nej | ja eventuellt | Ok vem är det | Ja vem är det?',
      'Nja | Vet inte | Tack för ditt meddelande! Jag är ledig till och med 7 augusti. | Frånvarande: åter måndag | En ledig plats? | Jag kör bil och svarar senare',

      'Jag kan | kan inte | kanske | ja eller nej? | Vem är det? | Autosvar: jag är på semester',
      'Jag är på semester till den 5 | Vilken tid? | Hur många behövs? | jaga | nejlika | en kommer',
      'ring mig | ja kanske | 8 | Semester | är sjuk | hej | Jag har flyttat | fel nummer',
    ],
  },
  no: {
    yes: [
      'Selvsagt | Sjølvsagt | Okei | Nå, ja da | Ja, når? | Ja kommer om 10 min',

      'JA | Ja | ja takk | Ja, kommer | Jepp | japp | jada | Klart | klart det | Selvfølgelig',
      'selvfolgelig | Gjerne | absolutt | ok | OK 👍 | jo | Ja!!',
    ],
    no: [
      'Desverre | Neppe | Nei, er på ferie | No thanks | Nå nei',

      'Absolutt ikke',
      'NEI | Nei | nei dessverre | Nei takk | Dessverre | dessverre ikke | Beklager | neida | nei. | 👎',
      'Nei, jobber | nope',
    ],
    query: ['?'],
    comment: [
      'Nå kommer jeg straks | No kjem eg | Visst jeg får fri | Ei stund til | Klar til vakt | Si ifra om det trengs flere | ja muligens | Ja nei | ok hvem er dette',
      'Jeg er på ferie til 3. august. Ved haster ring 22 00 00 00. | Automatisk svar: ikke til stede | Jeg kjører | Nå?',

      'Kanskje | Når? | hvem er dette | ja kanskje | Jeg er syk | Fraværsmelding: tilbake mandag',
      'må sjekke | ring meg | 07 | neste uke',
    ],
  },
  da: {
    yes: [
      'Naturligvis | Javist | Nå, ok | Ja, hvornår? | Jo tak | Yes tak',

      'JA | Ja | ja tak | Jep | jeps | Jo | Klart | klart! | Selvfølgelig | Gerne | absolut | ok',
      'Okay | ja jeg kommer | 👍 | Ja.',
    ],
    no: [
      'Næh | Næppe | Desværre, jeg er på ferie | Nej ikke i dag | Nå, nej',

      'Absolut ikke',
      'NEJ | nej | Nej desværre | Desværre | nej tak | Næ | Beklager | nix | 👎 | Nej, er syg',
    ],
    query: ['? | ??'],
    comment: [
      'Nå så kommer jeg | Klar kl 8 | Ei hvor sødt | ja muligvis | Ja nej | ok hvem er det | Modtaget | Det kan jeg godt',
      'Jeg er ikke på arbejde før mandag. | Automatisk svar: jeg holder ferie | Ja?',

      'Måske | Hvornår? | Jeg er syg | Autosvar: på ferie | ja måske | hvem er det | ring lige | 9',
      'ferie',
    ],
  },
  fi: {
    yes: [
      'No joo | No kyllä | No tottakai | Sopii | Käy | Okei | Ja tack | Ja! | Joo, monelta? | No okei',

      'KYLLÄ | Kyllä | kylla | Joo | joo! | juu | jooo | Jep | ok | Tulen | tulen heti | totta kai',
      'Pääsen | toki | 👍 | Kyllä kiitos',
    ],
    no: [
      'No en | No ei | No valitettavasti en | No thanks | No sorry | No',

      'EI | Ei | ei kiitos | ei valitettavasti | En | en pääse | Valitettavasti en | Ei! | 👎',
      'En voi tulla | emmä',
    ],
    query: ['? | ?!?'],
    comment: [
      'No niin | No mihin aikaan? | No mä voin ehkä tulla | Ja mihin aikaan? | Ja kuka kysyy | Jo sovittu muuta | Joo en pääse | Joo ei onnistu',
      'Ei ongelmaa | Ei hätää, tulen | En tiedä | En ole varma | Ei vielä | Joo ehkä | No problem | Voin tulla | kyllä tai ei',
      'Olen poissa 3.8. asti. | Kiitos viestistäsi! Palaan asiaan. | Ajan autoa',

      'Ehkä | Milloin? | kuka kysyy | Olen sairas | kyllä vai ei?',
      'Automaattinen vastaus: olen lomalla | loma | eilen | 5 | soita',
    ],
  },
  de: {
    yes: [
      'Na klar | na gerne | Gern | Jupp | Sicher | Ja, wann? | Ja bis gleich',

      'JA | Ja | ja! | Ja gerne | Ja, ich komme | Jawohl | Klar | klar doch | Gerne | Natürlich',
      'naturlich | Selbstverständlich | ok | Okay | jap | Jaaa | 👍 | Ja mach ich',
    ],
    no: [
      'Na nein | Keinesfalls | Nein, bin krank | Leider bin ich im Dienst | Ne, sorry',

      'Natürlich nicht | klar, nicht',
      'NEIN | Nein | nein danke | Nein, leider nicht | Leider nein | leider | Nee | nö | Nein! | 👎',
      'neinnn',
    ],
    query: ['? | ？'],
    comment: [
      'Na ja | Na? | Na wer schreibt da | Ei was | k.A. | Ja nein | Ja und nein | ja eventuell | ja evtl. | Ok wer ist da? | Ja? | Ja, wer ist da?',
      'Automatische Antwort: Ich bin bis 5.1. nicht im Haus. | Vielen Dank für Ihre Nachricht. | Ich fahre gerade | Geht klar | Bin dabei',

      'Vielleicht | Wann? | Wer ist da? | Ich bin krank | ja vielleicht',
      'Abwesenheitsnotiz: ich bin im Urlaub | kein Problem | Bin im Urlaub | 3 | mal sehen',
      'neue Nummer | Jahr',
    ],
  },
} as const satisfies Record<Language, Record<Answer['meaning'], readonly string[]>>;

describe('answers', () => {
  const cases = languages.flatMap((language) =>
    Object.entries<readonly string[]>(corpus[language]).flatMap(([meant, texts]) =>
      texts.flatMap((line) => line.split(' | ').map((text) => ({ language, text, meant }))),
    ),
  );

  test('[JOB-10] The first word of an answer decides, whatever its case, diacritics, punctuation and emoji', () => {
    expect(cases.length).toBeGreaterThan(500);
    const read = cases.map(({ language, text }) => ({ language, text, meant: meaning(text, language) }));
    expect(read).toEqual(cases);
    expect(['', '   ', 'yes\nBest regards\nAnna'].map((text) => meaning(text, 'en'))).toEqual([
      ...['comment', 'comment', 'yes'],
    ]);
  });

  test('[JOB-10] Digits count as answers only if the job type says so', () => {
    for (const language of languages) {
      expect(['1', '1!', '2', '0', '3', '10'].map((text) => meaning(text, language, true))).toEqual([
        ...['yes', 'yes', 'no', 'no', 'comment', 'comment'],
      ]);
      expect(['1', '2'].map((text) => meaning(text, language))).toEqual(['comment', 'comment']);
    }
  });

  test.each([
    [
      'yes',
      [
        'Liked “Can you come?” | Loved “No thanks” | Liked "Yes or no" | Reacted 👍 to “Can you come?” | 👍🏽 to “No” | ❤️ to “Can you?”',
        'Gillade ”Kan du?” | Älskade ”Nej” | Likte «Kan du?» | Elsket «Nei» | Syntes godt om “Kan du?” | Elskede »Nej«',
        'Tykkäsi: ”Ei” | Rakasti ”Pääsetkö?” | Gefällt „Kannst du?“ | Liebte „Nein“ | Reagerade med ❤️ på ”Kan du?”',
      ],
    ],
    [
      'no',
      [
        'Disliked “Can you come?” | Ogillade ”Kan du?” | Mislikte «Ja» | Kunne ikke lide “Ja” | Ei tykännyt ”Kyllä”',
        'Gefällt nicht: „Ja“ | Reacted 👎 to “Yes” | 👎 to “Yes”',
      ],
    ],
    [
      'comment',
      [
        'Emphasized “Yes” | Questioned “Can you come?” | Laughed at “No” | Removed a like from “Yes” | Removed a heart from “Yes”',
        'Betonade ”Ja” | Skrattade åt ”Nej” | Lo av «Ja» | Grinede ad “Nej” | Nauroi ”Ei” | Lachte über „Ja“ | Reacted 😂 to “Yes”',
        'Liked it, but no | Loved the last one | Removed 👍 from “Yes” | Fjernet en tommel opp fra «Ja» | Tog bort ett hjärta från ”Ja”',
      ],
    ],
  ])(
    '[JOB-10] A phone’s reaction, in the language of the phone, is read as an answer: %s',
    (meant, lines) => {
      for (const text of lines.flatMap((line) => line.split(' | ')))
        for (const language of languages)
          expect({ text, meant: meaning(text, language) }).toEqual({ text, meant });
    },
  );

  test('[JOB-10] A job type that lists its own words accepts no others, except thumbs and STOP', () => {
    const words = answerWords({ language: 'sv', yes: ['Kommer'], no: ['Förhindrad'], digits: false });
    const read = (text: string) => readAnswer(text, words).meaning;
    expect(['kommer!', 'FORHINDRAD', 'ja', 'nej', '👍', '👎', 'stop', 'Liked “?”'].map(read)).toEqual([
      ...['yes', 'no', 'comment', 'comment', 'yes', 'no', 'no', 'yes'],
    ]);
  });

  test.each(['a', '?', ' ', 'jaaaa'])(
    '[JOB-10] An extremely long answer is read in a time that only grows with its length: of %j',
    async (piece) => {
      // Prepared in advance and flattened, because building a text of a megabyte takes far longer than reading it.
      const texts = new Map(
        [100_000, 1_000_000].map((size) => [
          size,
          JSON.parse(`"${piece.repeat(size / piece.length)}"`) as string,
        ]),
      );
      const read = (size: number) => meaning(texts.get(size) as string, 'sv');
      await expectLinearTime(read, { from: 100_000, times: 10 });
    },
  );
});
