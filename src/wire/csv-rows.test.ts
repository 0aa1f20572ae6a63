import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectLinearTime } from '../../test/harness/linear-time.ts';
import { CsvReader, delimiterOf, firstRows } from './csv-rows.ts';

function read(pieces: readonly string[], delimiter = ';') {
  const csv = new CsvReader(delimiter);
  const rows = pieces.flatMap((piece, at) => [...csv.read(piece, at === pieces.length - 1)]);
  return { rows, broken: csv.broken };
}

const cellsOf = (text: string, delimiter = ';') => read([text], delimiter).rows.map(({ cells }) => cells);

describe('rows of CSV as spreadsheets read them', () => {
  test.each<[what: string, row: string, cells: readonly string[]]>([
    ['quotes within a cell', 'Kari "the boss" Nord;1', ['Kari "the boss" Nord', '1']],
    ['a quote at the end of a cell', '5" pipe store;6"', ['5" pipe store', '6"']],
    ['quotes behind spaces', 'Kari; "479"  ;x', ['Kari', '479', 'x']],
    ['a delimiter in quotes behind spaces', 'Kari; "a;b"', ['Kari', 'a;b']],
    ['more than quotes behind spaces', 'Kari; "the boss" Nord;1', ['Kari', ' "the boss" Nord', '1']],
    ['a formula of text', 'Kari;="479"', ['Kari', '479']],
    ['a quoted formula of text', 'Kari;"=""479"""', ['Kari', '479']],
    ['a formula of text with a delimiter', '="a;b";1', ['a;b', '1']],
    ['another formula', '="a"&"b";1', ['="a"&"b"', '1']],
    ['an open formula', '="a;1', ['="a', '1']],
    ['text behind a closing quote', '"Kari" Nord;1', ['Kari Nord', '1']],
    ['doubled quotes', '"Kari ""the boss""";""', ['Kari "the boss"', '']],
    ['a line end in quotes', '"a\nb";1', ['a\nb', '1']],
    ['nothing at the end', 'a;', ['a', '']],
  ])('[RUN-3] A CSV row is read as spreadsheets read it: %s', (_what, row, cells) => {
    for (const end of ['', '\n', '\r\n', '\r']) expect(cellsOf(`${row}${end}`)).toEqual([cells]);
  });

  test('[RUN-3] Every kind of line end ends a CSV row, empty rows are skipped, and the count of lines goes on', () => {
    expect(read(['a\r\r\n;;\nb\n \n"c\nd"\n\re'], ',').rows).toEqual([
      { cells: ['a'], line: 1, firstLine: 1 },
      { cells: [';;'], line: 3, firstLine: 3 },
      { cells: ['b'], line: 4, firstLine: 4 },
      { cells: ['c\nd'], line: 7, firstLine: 6 },
      { cells: ['e'], line: 9, firstLine: 9 },
    ]);
    expect(cellsOf(';;\na;b\n; ;\n')).toEqual([['a', 'b']]);
  });

  test('[RUN-3] The first line of a CSV file may say what separates the columns', () => {
    for (const sign of [';', ',', '\t', '|', '#'])
      for (const line of [`sep=${sign}`, `"sep=${sign}"`, `\u{feff}SEP=${sign}`]) {
        const text = `${line}\r\na${sign}b,c`;
        expect(delimiterOf(text)).toBe(sign);
        expect(cellsOf(text, sign)).toEqual([`a${sign}b,c`.split(sign)]);
      }
    expect(cellsOf('a;b\nsep=;')).toHaveLength(2);
  });

  test('[RUN-3] The separator of a CSV file is the sign that divides its first rows, whatever quotes they contain', () => {
    expect(delimiterOf('name;phone\nNord, Kari;479')).toBe(';');
    expect(delimiterOf('5" pipe;phone\nNord, 6", b;479')).toBe(';');
    expect(delimiterOf('"a,b,c";phone')).toBe(';');
    expect(delimiterOf('Staff list\n\nname\tphone')).toBe('\t');
    expect(delimiterOf('phone\n479')).toBe(',');
  });

  test('[RUN-3] A sign that occurs in sentences does not separate the columns of a CSV, even if it is the most frequent', () => {
    expect(delimiterOf('4790601007\tYes, please, do\n4790601008\tNo')).toBe('\t');
    expect(delimiterOf('4790601007;Yes, please, do\n4790601008;No, thanks, Ola')).toBe(';');
    expect(delimiterOf('4790601007;Yes, please, do\n4790601008;No, thanks')).toBe(';');
    expect(delimiterOf('Phone;Text, if any, to send\n4790601008;No')).toBe(';');
    // Bars separate columns only if they can't mean anything else.
    expect(delimiterOf('phone|name\n479|Kari')).toBe(',');
    expect(delimiterOf('phone|name\n479|Kari', [',', '|'])).toBe('|');
  });

  test('[RUN-3] A quote in a CSV file that is never closed is reported with the line of its row', () => {
    expect(read(['a\n"b\nc\nd']).broken).toMatchObject({
      line: 2,
      said: { sentence: 'csv_open' },
    });
    expect(read(['a\n"b', 'c'.repeat(70_000), 'd']).broken).toMatchObject({ line: 2 });
  });

  const awkward = fc
    .array(
      fc.constantFrom(
        '"',
        '""',
        ';',
        ',',
        '\t',
        '\r',
        '\n',
        '\r\n',
        '\u{feff}',
        '\0',
        ' ',
        '=',
        '="',
        'a',
        'sep=;',
      ),
      {
        maxLength: 40,
      },
    )
    .map((parts) => parts.join(''));

  test('[RUN-3] Every CSV text is read the same, to its end or to its fault, in whatever pieces it comes', () => {
    fc.assert(
      fc.property(awkward, fc.array(fc.nat(60), { maxLength: 5 }), (text, cuts) => {
        const places = [0, ...cuts.filter((cut) => cut < text.length).sort((one, other) => one - other)];
        const pieces = places.map((from, at) => text.slice(from, places[at + 1]));
        expect(read(pieces)).toEqual(read([text]));
        expect(firstRows(text, delimiterOf(text)).length).toBeLessThan(11);
      }),
      { numRuns: 3_000 },
    );
  });

  test('[CONV-12] Reading CSV takes time in proportion to the text', async () => {
    for (const piece of ['"', ' "', ' "a;', ' """a;', '="', '";"\n', '     x;', 'a;"b""\n'])
      await expectLinearTime((size) => read([piece.repeat(size / piece.length)]), { from: 8_000, times: 8 });
  });
});
