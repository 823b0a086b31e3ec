//! Just enough of gzip to read test data. It must not be used for anything that is not trusted.

/// The content of a gzip file of one member without optional header fields other than a name.
pub(super) fn gunzip(file: &[u8]) -> Vec<u8> {
    assert_eq!(file[..3], [0x1F, 0x8B, 8], "not a gzip file");
    assert_eq!(file[3] & !8, 0, "header fields that are not read here");
    let name = if file[3] & 8 == 0 { 0 } else { 1 + file[10..].iter().position(|byte| *byte == 0).unwrap() };
    let mut bits = Bits { bytes: &file[10 + name..], at: 0 };
    let mut out = Vec::new();
    loop {
        let last = bits.take(1) == 1;
        match bits.take(2) {
            0 => stored(&mut bits, &mut out),
            1 => {
                // The fixed codes of RFC 1951, section 3.2.6.
                let lengths: Vec<u8> = (0..288u16)
                    .map(|symbol| match symbol {
                        0..144 => 8,
                        144..256 => 9,
                        256..280 => 7,
                        _ => 8,
                    })
                    .collect();
                coded(&mut bits, &mut out, &Codes::new(&lengths), &Codes::new(&[5; 30]));
            }
            2 => {
                let (lengths, distances) = dynamic(&mut bits);
                coded(&mut bits, &mut out, &lengths, &distances);
            }
            other => panic!("no such block: {other}"),
        }
        if last {
            return out;
        }
    }
}

struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn take(&mut self, count: usize) -> usize {
        (0..count).map(|bit| self.bit() << bit).sum()
    }

    fn bit(&mut self) -> usize {
        let bit = self.bytes[self.at / 8] >> (self.at % 8) & 1;
        self.at += 1;
        usize::from(bit)
    }
}

/// Canonical codes: how many there are of each length, and the symbols by length.
struct Codes {
    counts: [usize; 16],
    symbols: Vec<usize>,
}

impl Codes {
    fn new(lengths: &[u8]) -> Codes {
        let mut counts = [0; 16];
        lengths.iter().filter(|length| **length > 0).for_each(|length| counts[usize::from(*length)] += 1);
        let mut symbols: Vec<usize> = (0..lengths.len()).filter(|symbol| lengths[*symbol] > 0).collect();
        symbols.sort_by_key(|symbol| lengths[*symbol]);
        Codes { counts, symbols }
    }

    fn symbol(&self, bits: &mut Bits<'_>) -> usize {
        let (mut code, mut first, mut index) = (0, 0, 0);
        for count in &self.counts[1..] {
            code |= bits.bit();
            if code < first + count {
                return self.symbols[index + code - first];
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        panic!("no such code");
    }
}

fn stored(bits: &mut Bits<'_>, out: &mut Vec<u8>) {
    let at = bits.at.div_ceil(8);
    let length = usize::from(u16::from_le_bytes([bits.bytes[at], bits.bytes[at + 1]]));
    out.extend_from_slice(&bits.bytes[at + 4..at + 4 + length]);
    bits.at = (at + 4 + length) * 8;
}

fn dynamic(bits: &mut Bits<'_>) -> (Codes, Codes) {
    const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    let (lengths, distances, codes) = (bits.take(5) + 257, bits.take(5) + 1, bits.take(4) + 4);
    let mut own = [0u8; 19];
    ORDER[..codes].iter().for_each(|at| own[*at] = bits.take(3) as u8);
    let own = Codes::new(&own);
    let mut all: Vec<u8> = Vec::new();
    while all.len() < lengths + distances {
        let (value, times) = match own.symbol(bits) {
            16 => (*all.last().unwrap(), 3 + bits.take(2)),
            17 => (0, 3 + bits.take(3)),
            18 => (0, 11 + bits.take(7)),
            length => (length as u8, 1),
        };
        all.extend(std::iter::repeat_n(value, times));
    }
    (Codes::new(&all[..lengths]), Codes::new(&all[lengths..]))
}

fn coded(bits: &mut Bits<'_>, out: &mut Vec<u8>, lengths: &Codes, distances: &Codes) {
    loop {
        match lengths.symbol(bits) {
            literal @ 0..256 => out.push(literal as u8),
            256 => return,
            symbol => {
                let step = symbol - 257;
                let length = match step {
                    0..8 => step + 3,
                    28 => 258,
                    _ => {
                        let extra = step / 4 - 1;
                        ((4 + step % 4) << extra) + 3 + bits.take(extra)
                    }
                };
                let step = distances.symbol(bits);
                let distance = match step {
                    0..4 => step + 1,
                    _ => {
                        let extra = step / 2 - 1;
                        ((2 + step % 2) << extra) + 1 + bits.take(extra)
                    }
                };
                (0..length).for_each(|_| out.push(out[out.len() - distance]));
            }
        }
    }
}
