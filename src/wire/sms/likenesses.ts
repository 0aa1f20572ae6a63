/** The characters that people paste, each with its likeness in GSM-7, as far as Unicode's own data does not tell it. */

/**
 * Characters and what each of them becomes; two spaces stand between such pairs. What Unicode decomposes into such
 * characters or into GSM-7 is not listed: accented letters, spaces of all widths, ellipsis, ligatures, fullwidth, small,
 * circled, squared and mathematical forms, Roman numerals, fractions, superscripts. Look-alikes are written as escapes.
 */
const rows: readonly string[] = [
  // Quotation marks and primes
  `‘’‛‹›❛❜❮❯\u201A\u2032\u2035\u02B9\u02BB\u02BC\u02BD\u02BE\u02BF\u02C8\u02CA\u02CB\u00B4\u0060\uA78C '
   “”„‟«»❝❞〝〞〟\u2033\u2036\u02BA\u02DD\u02EE\u00A8 "`,
  // Hyphens, dashes, the minus sign, the horizontal line of box drawing
  `\u2010\u2012\u2013\u2014\u2015\u2043\u2212\u2500\u2501\u00AF\u203E -`,
  // Bullets
  `•‣⁃◦▪▫■□●○◆◇►▸▶➢➤ -  \u00B7\u2219\u22C5\u2027 .  ★☆✱✳∗⁎ *`,
  // Letters that are not a base letter with an accent
  `łƚ l  Ł L  đðɖɗ d  ĐÐƉƊ D  þ th  Þ Th  œ oe  Œ OE  ẞ SS  ħ h  Ħ H  ıɨ i  Ɨ I  ȷɉ j  Ɉ J  ĸƙ k  Ƙ K
   ŋɲ n  ŊƝ N  ŧƭ t  ŦƬ T  əǝɛ e  ƏƎƐ E  ɔɵ o  ƆƟ O  ƀɓ b  ɃƁ B  ƈ c  Ƈ C  ƒ f  Ƒ F  ǥɠ g  ǤƓ G  ƥ p
   Ƥ P  ʉ u  Ʉ U  ʋ v  Ʋ V  ƶ z  Ƶ Z  ƴ y  Ƴ Y`,
  // Hungarian: the diaeresis is nearer than no accent
  `ő ö  Ő Ö  ű ü  Ű Ü`,
  // Signs
  `© (C)  ® (R)  ™ (TM)  ℠ (SM)  ℗ (P)  ×✕✖ x  ÷\u2044\u2215\u29F8 /  ± +/-  ∓ -/+  ∅⌀ Ø  \u2236 :
   ≠ !=  ≮ !<  ≯ !>  ≤⩽ <=  ≥⩾ >=  ≈\u02DC\u223C\u301C ~  \u02C6 ^  ¦\u2223\u2502\u2503 |  ‖ ||
   \u29F5\u29F9\u2216 \\  \u2017 _  \u00B8 ,  ‽ ?!  † +  ‰ o/oo  →⟶➔➙➜➝➞➡ ->  ←⟵⬅ <-  ↔⟷ <->  ⇒⟹ =>
   ⇐⟸ <=  ⇔⟺ <=>  ⋯ ...  °\u02DA deg`,
  // The micro sign, the increment, the n-ary product and sum; Greek letters proper are below or in the alphabet
  `\u00B5 u  \u2206 Δ  \u220F Π  \u2211 Σ`,
  // Currencies, by their code in ISO 4217 where no sign is like them
  `₤ £  ¢ c  ₹ INR  ₽ RUB  ₺ TRY  ₴ UAH  ₩ KRW  ₪ ILS  ₫ VND  ₱ PHP  ₦ NGN`,
];

export const likenesses: ReadonlyMap<string, string> = new Map(
  rows
    .flatMap((row) => row.split(/\s{2,}/))
    .flatMap((pair) => {
      const [characters = '', likeness = ''] = pair.split(' ');
      return [...characters].map((character) => [character, likeness] as const);
    }),
);

/**
 * The Greek capitals that GSM-7 leaves out because they look like Latin ones; it has the other ten. Senders of Greek
 * SMS write in capitals for that reason.
 */
export const greekTwins: ReadonlyMap<string, string> = new Map(
  [...'\u0391\u0392\u0395\u0396\u0397\u0399\u039A\u039C\u039D\u039F\u03A1\u03A4\u03A5\u03A7'].map(
    (capital, place) => [capital, 'ABEZHIKMNOPTYX'.charAt(place)],
  ),
);
