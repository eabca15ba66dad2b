use super::*;
use crate::sample::Profile;

/// The likeliest grammar of a description, as it is shown.
fn shown(text: &str) -> String {
    let read = Description::read(text);
    read.grammars.first().map_or_else(|| "none".to_owned(), |(grammar, _)| grammar.to_string())
}

#[test]
fn pictures_are_broken_into_lines() {
    let text = r"Input : Input is given from Standard Input in the following format : N D X A_1 A_2 : A_N Constraints : 1 \ leq N \ leq 100 1 \ leq D \ leq 100 1 \ leq X \ leq 100 1 \ leq A_i \ leq 100 ( 1 \ leq i \ leq N ) All input values are integers .";
    let expected = "N D X\nN times:\n  A\n  N: whole number 1 to 100\n  D: whole number 1 to 100\n  X: whole number 1 to 100\n  A: whole number 1 to 100\n";
    assert_eq!(shown(text), expected);
    let text = "Input : The input is given from Standard Input in the following format : N a_1 a_2 ... a_N Constraints : 2 ≤ N ≤ 10 ^ 5 1 ≤ a_i ≤ N a_i ≠ i";
    assert_eq!(shown(text), "N\na × (N)\n  N: whole number 2 to 10^5\n  a: whole number 1 to N\n");
    let text = r"Input is given in the following format : N X_1 L_1 X _2 L_2 \ vdots X _N L _N Constraints : 1 \ leq N \ leq 100 , 000 0 \ leq X_i \ leq 10 ^ 9 1 \ leq L_i \ leq 10 ^ 9";
    assert_eq!(
        shown(text),
        "N\nN times:\n  X L\n  N: whole number 1 to 100000\n  X: whole number 0 to 10^9\n  L: whole number 1 to 10^9\n"
    );
}

#[test]
fn texts_stand_on_lines_of_their_own() {
    let text = "Input : Input is given from Standard Input in the following format : N K S Constraints : 1 ≤ N ≤ 50 1 ≤ K ≤ N S is a string of length N consist ing of A , B and C .";
    assert_eq!(
        shown(text),
        "N K\nS\n  N: whole number 1 to 50\n  K: whole number 1 to N\n  S: text of A-C, of length N\n"
    );
    let text = "The input is given from Standard Input in the following format : w Constraints : 1 \\ leq | w | \\ leq 100 w consists of lowercase letters ( a - z ).";
    assert_eq!(shown(text), "w\n  w: text of a-z, of length 1 to 100\n");
    let text = "in the following format : H W a_ { 11 } a_ { 12 } ... a_ { 1W } : a_ { H1 } a_ { H2 } ... a_ { HW } Constraints : 1 ≤ H , W ≤ 100 a_ { ij } is a lowercase English letter .";
    assert!(shown(text).starts_with("H W\nH times:\n  a × (W) without spaces\n"), "{}", shown(text));
}

#[test]
fn words_and_japanese_are_read() {
    let text = "Input : The length a and b read th b of the rectangle are given in a line separated by a single space . Constraints : 1 ≤ a , b ≤ 100";
    assert_eq!(shown(text), "a b\n  a: whole number 1 to 100\n  b: whole number 1 to 100\n");
    let text = "Input : The first line contains an integer $ n $. In the following $ n $ lines , $ R _t $ ($ t = 0 , 1 , 2 , ... n - 1 $) are given in order . Constraints : $ 2 \\ leq n \\ leq 200 , 000 $ $ 1 \\ leq R _t \\ leq 10 ^ 9 $";
    assert_eq!(shown(text), "n\nn times:\n  R\n  n: whole number 2 to 200000\n  R: whole number 1 to 10^9\n");
    let text = "Input : 入力は以下の形式で与えられる 。 p m c 入力は １ 行 であり 、 参加 者 数 p ( 0 ≤ p ≤ 10000 )、 m ( 0 ≤ m ≤ 10000 )、 c ( 0 ≤ c ≤ 10000 ) が与えられる 。";
    assert!(shown(text).starts_with("p m c\n  p: whole number 0 to 10000\n"), "{}", shown(text));
}

#[test]
fn relations_are_kept_in_samples() {
    let text = "in the following format : A B K a_1 b_1 : a_K b_K Constraints : 1 ≤ A < B ≤ 5 1 ≤ K ≤ 4 1 ≤ a_i < b_i ≤ B All values in input are integers .";
    let read = Description::read(text);
    let (grammar, _) = &read.grammars[0];
    for profile in Profile::ALL {
        for seed in 0..50 {
            let sample = grammar.sample(*profile, seed).text;
            let rows: Vec<Vec<i64>> = sample
                .lines()
                .map(|line| line.split(' ').map(|field| field.parse().expect("a number")).collect())
                .collect();
            let [a, b, k] = rows[0][..] else { panic!("{sample}") };
            assert!(1 <= a && a < b && b <= 5 && rows.len() as i64 == k + 1, "{sample}");
            assert!(rows[1..].iter().all(|row| 1 <= row[0] && row[0] < row[1] && row[1] <= b), "{sample}");
        }
    }
}

#[test]
fn what_says_nothing_gives_nothing() {
    for text in ["", "Input :", "Input : None .", "\u{0}\u{fffd}", "format :", "Une ligne avec deux entiers.", ": : :"]
    {
        assert!(Description::read(text).grammars.is_empty(), "{text}: {}", shown(text));
    }
    for text in ["N A_1 ⋯ A_N : ( { _ ".repeat(5000), format!("format : N {}", "((".repeat(5000))] {
        assert!(Description::read(&text).grammars.len() < 20);
    }
}

#[test]
fn what_stands_after_dots_belongs_to_the_row() {
    let text = r"format : N B_1 B_2 ... B_{ N - 1 } B_N Constraints : 2 \leq N \leq 9 1 \leq B_i \leq 7";
    assert_eq!(shown(text), "N\nB × (N)\n  N: whole number 2 to 9\n  B: whole number 1 to 7\n");
    let text = r"format : $ n $ $ b_0 \; b_1 , ..., \; b_{ n - 1 } $ $ m $ Constraints : $ 1 \leq n , m \leq 9 $ $- 5 \leq b_i \leq 5 $";
    assert!(shown(text).starts_with("n\nb × (n - 1 + 1)\nm\n  n: whole number 1 to 9\n"), "{}", shown(text));
}

#[test]
fn texts_have_the_characters_and_the_length_that_are_said() {
    let text =
        "format : C Constraints : C is a string of length between 3 and 6 . Each character in C is 2 , 3 , ..., or 6 .";
    assert_eq!(shown(text), "C\n  C: text of 2-6, of length 3 to 6\n");
    let text = "format : S Constraints : S is a 5 - character string consist ing of digits .";
    assert_eq!(shown(text), "S\n  S: text of 0-9, of length 5\n");
    let text = r"format : S T Constraints : S and T are strings of lowercase English letters . 1 \leq | S | \leq 9 | T | = | S | + 2";
    let sample = Description::read(text).grammars[0].0.sample(Profile::Least, 1).text;
    let lengths: Vec<usize> = sample.lines().map(str::len).collect();
    assert_eq!(lengths, [1, 3], "{sample}");
}

#[test]
fn sequences_of_numbers_have_a_length() {
    let text = r"format : N S_1 S_2 ... S_N Constraints : 1 \leq N \leq 9 The length of S is N . 1 \leq S_i \leq 7 All values in input are integers .";
    assert_eq!(shown(text), "N\nS × (N)\n  N: whole number 1 to 9\n  S: whole number 1 to 7\n");
}

#[test]
fn indices_of_lines_are_no_values() {
    let text = "入力 : 1 行目には 整数 n ( 1 ≤ n ≤ 9 ) が書かれている . 続く n 行 のうちの i 行目 ( 1 ≤ i ≤ n ) には 整数 c が書かれている .";
    assert!(!shown(text).contains(" i"), "{}", shown(text));
}
