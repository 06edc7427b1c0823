//! The papers behind the codes S0 to S4.

/// A paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Paper {
    /// What experiments call it.
    pub code: &'static str,
    /// Who wrote it.
    pub authors: &'static str,
    /// Its title, and in English where that is another one.
    pub title: &'static str,
    /// Where and when.
    pub place: &'static str,
}

/// All of them.
pub const PAPERS: [Paper; 5] = [
    Paper {
        code: "S0",
        authors: "A. Kirii, Y. Hara, H. Igarashi, Y. Morioka, K. Yamamoto",
        title: "確率的選択探索の将棋への適用 (Stochastic selective search applied to shogi)",
        place: "22nd Game Programming Workshop (GPW), 2017, pp. 26–33",
    },
    Paper {
        code: "S1",
        authors: "",
        title: "Learning an evaluation function from selective simulations in Blokus Duo",
        place: "Game Programming Workshop (GPW), 2010",
    },
    Paper {
        code: "S2",
        authors: "M. Itoh, T. Ohta",
        title: "局面タブーリストを内包したモンテカルロ木探索の19路盤囲碁への応用 \
                (An Application of Monte-Carlo Tree Search Including Game State Tabu Lists for Playing 19×19 Go)",
        place: "Bulletin of Aichi Institute of Technology 51, 2016",
    },
    Paper {
        code: "S3",
        authors: "H. Igarashi, Y. Morioka, K. Yamamoto",
        title: "方策勾配法による探索制御の一考察 (Learning Search Control by Policy Gradient Algorithm)",
        place: "Game Programming Workshop (GPW), 2013",
    },
    Paper {
        code: "S4",
        authors: "T. Yoshino, H. Igarashi, K. Kawashima",
        title: "MC Softmax探索における局面の並列評価：GPUとニューラルネットワークモデルの利用 \
                (Parallel State Evaluation in MC Softmax Search using GPU and Neural Network Models)",
        place: "25th Game Programming Workshop (GPW), 2020",
    },
];

impl Paper {
    /// The paper as literature lists have it.
    pub fn citation(&self) -> String {
        let authors = if self.authors.is_empty() { String::new() } else { format!("{}: ", self.authors) };
        format!("{authors}{}. {}.", self.title, self.place)
    }
}

/// The papers whose codes stand in some texts: `S0.6, table 2`.
pub fn named_in<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Vec<&'static Paper> {
    let word = |text: &str, code: &str| {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        words.into_iter().any(|word| word == code)
    };
    PAPERS.iter().filter(|paper| texts.clone().any(|text| word(text, paper.code))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn papers_are_found_by_their_codes() {
        let codes = |text: &str| named_in([text].into_iter()).iter().map(|paper| paper.code).collect::<Vec<_>>();
        assert_eq!(codes("S0.6, table 2"), ["S0"]);
        assert_eq!(codes("the question of S2 (S4.1)"), ["S2", "S4"]);
        assert!(codes("S10, XS0").is_empty());
        assert!(PAPERS[0].citation().contains("Kirii") && PAPERS[1].citation().starts_with("Learning"));
    }
}
