"""Writes crates/statistics/tests/scipy.json: what scipy, statsmodels and choix answer to the questions of yomi-statistics.

    python3 -m venv venv && venv/bin/pip install scipy statsmodels choix && venv/bin/python scripts/scipy_golden.py

The likelihood ratios and ratings, which no package knows, are found here by general optimisers on the primal problem, so
they share no formula for the solution with the Rust code. Same packages, same file: everything random is seeded.
"""

import json
import os
import warnings
from importlib.metadata import version

import choix
import numpy as np
import scipy
import statsmodels
from scipy import optimize, stats
import statsmodels.api as sm
from statsmodels.stats.contingency_tables import Table
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest

TARGET = os.path.join(os.path.dirname(__file__), "..", "crates", "lab", "tests", "scipy.json")
ELO = 400 / np.log(10)
random = np.random.default_rng(20260801)


def distributions():
    return {
        "normal_quantile": [[p, stats.norm.ppf(p)] for p in [1e-9, 0.01, 0.3, 0.5, 0.9, 0.975, 0.9995, 1 - 1e-9]],
        "normal_cdf": [[x, stats.norm.cdf(x)] for x in [-37.0, -8.0, -3.0, -0.5, 0.0, 1.0, 2.5, 6.0]],
        "student_quantile": [[p, f, stats.t.ppf(p, f)] for p in [0.75, 0.975, 0.9995] for f in [1, 2, 3, 7, 30, 98]],
        "chi_square_tail": [
            [x, f, stats.chi2.sf(x, f)] for x, f in [(0.1, 1), (3.84, 1), (200.0, 1), (9.0, 4), (500.0, 400), (300.0, 400), (1300.0, 2)]
        ],
    }


def binomial():
    cases = [(k, 1000) for k in (513, 519, 491, 523, 540)]
    cases += [(0, 1), (1, 1), (0, 10), (10, 10), (5, 10), (162, 291), (1, 1_000_000), (999, 1_000_000), (500_900, 1_000_000)]
    cases += [(int(random.integers(0, n + 1)), int(n)) for n in random.integers(2, 3000, 30)]
    rows = []
    for k, n in cases:
        for p in (0.5, 0.31):
            test = stats.binomtest(k, n, p)
            for level in (0.95, 0.99):
                exact = test.proportion_ci(level, "exact")
                wilson = test.proportion_ci(level, "wilson")
                rows.append([k, n, p, level, test.pvalue, exact.low, exact.high, wilson.low, wilson.high])
    return rows


def tables():
    cases = [[[124, 171], [100, 194]], [[651, 316], [647, 296]], [[162, 9, 129], [124, 5, 171], [100, 6, 194], [69, 1, 231]]]
    for _ in range(15):
        shape = (int(random.integers(2, 6)), int(random.integers(2, 5)))
        cases.append(random.integers(1, 200, shape).tolist())
    for _ in range(5):
        cases.append(random.integers(1, 400, (2, 2)).tolist())
    rows = []
    for table in cases:
        plain = stats.chi2_contingency(table, correction=False)
        yates = stats.chi2_contingency(table, correction=True)
        rows.append({
            "table": table, "statistic": plain.statistic, "freedom": plain.dof, "p": plain.pvalue, "yates_p": yates.pvalue,
            "least_expected": plain.expected_freq.min(),
        })
    return rows


def pairs():
    cases = [(124, 295, 100, 294), (3, 4, 1, 4), (56, 70, 48, 80), (0, 5, 5, 5), (1, 30, 8, 35), (5000, 10000, 5100, 10000)]
    for _ in range(20):
        n, m = (int(x) for x in random.integers(3, 120, 2))
        cases.append((int(random.integers(1, n)), n, int(random.integers(1, m)), m))
    rows = []
    for a, n, b, m in cases:
        fisher = stats.fisher_exact([[a, n - a], [b, m - b]]).pvalue
        z, p = proportions_ztest([a, b], [n, m])
        low, high = confint_proportions_2indep(a, n, b, m, method="newcomb", compare="diff", correction=False)
        rows.append([a, n, b, m, fisher, z, p, low, high])
    return rows


def holm():
    cases = [[0.01, 0.04, 0.03, 0.005], [0.5, 0.5], [0.2]] + [(random.uniform(0, 1, 8) ** 3).tolist() for _ in range(4)]
    return [[p, multipletests(p, method="holm")[1].tolist()] for p in cases]


def power():
    rows = []
    for n, p, alpha in [(1000, 0.54, 0.05), (100, 0.60, 0.05), (37, 0.7, 0.01), (300, 0.57, 0.1)]:
        rejected = [k for k in range(n + 1) if stats.binomtest(k, n, 0.5).pvalue <= alpha]
        rows.append([n, p, alpha, float(stats.binom.pmf(rejected, n, p).sum())])
    return rows


def shapes():
    """Trends, nearest rising rates and how far the games are from them; exact homogeneity; clustered variances. Drawn by a generator of their
    own, so that the numbers above stay as they are."""
    own = np.random.default_rng(20261118)
    trends, risings, departures, alike, clusters = [], [], [], [], []
    tables = [[[69, 231], [124, 171], [100, 194]], [[564, 380], [635, 343], [651, 316], [647, 296], [527, 388]]]
    for _ in range(10):
        tables.append([[int(w), int(n - w)] for n, w in ((n, own.integers(1, n)) for n in own.integers(20, 400, own.integers(2, 7)))])
    for table in tables:
        scores = np.sort(own.uniform(0, 10, len(table)))
        test = Table(np.array(table)).test_ordinal_association(row_scores=scores, col_scores=np.array([1.0, 0.0]))
        games = np.array(table).sum()
        # Cochran and Armitage divide by N where the permutation variance has N - 1.
        z = float(test.zscore) * np.sqrt(games / (games - 1))
        trends.append([table, scores.tolist(), z, 2 * stats.norm.sf(abs(z))])
        n, wins = np.array(table).sum(1), np.array(table)[:, 0]
        fit = optimize.isotonic_regression(wins / n, weights=n).x
        risings.append([(wins / n).tolist(), n.tolist(), fit.tolist()])
        ll = lambda p: (wins * np.log(np.clip(p, 1e-300, 1)) + (n - wins) * np.log(np.clip(1 - p, 1e-300, 1))).sum()
        falling = lambda lo: optimize.isotonic_regression((wins / n)[lo:], weights=n[lo:], increasing=False).x
        rising = lambda hi: optimize.isotonic_regression((wins / n)[:hi], weights=n[:hi]).x if hi else np.array([])
        peaks = [np.concatenate([rising(k), falling(k)]) for k in range(len(n))]
        departures.append([table, 2 * (ll(wins / n) - ll(fit)), 2 * (ll(wins / n) - max(ll(p) for p in peaks))])
    for table in ([[3, 1], [1, 3]], [[4, 1], [2, 4], [0, 3]], [[5, 0], [3, 3], [2, 6]], [[1, 6], [0, 5], [3, 2], [2, 2]]):
        table = np.array(table)
        n, total = table.sum(1), table[:, 0].sum()
        seen = stats.chi2_contingency(table, correction=False).statistic
        law = stats.multivariate_hypergeom(n, total)
        p = 0.0
        for wins in np.ndindex(*(n + 1)):
            if sum(wins) == total:
                other = np.column_stack([wins, n - wins])
                if stats.chi2_contingency(other, correction=False).statistic >= seen - 1e-9:
                    p += law.pmf(wins)
        alike.append([table.tolist(), p])
    for _ in range(6):
        sizes = own.integers(1, 7, own.integers(5, 30))
        groups = np.repeat(np.arange(len(sizes)), sizes)
        level = own.uniform(0.2, 0.8, len(sizes))
        games = (own.uniform(0, 1, len(groups)) < level[groups]).astype(float)
        fit = sm.OLS(games, np.ones(len(games))).fit(cov_type="cluster", cov_kwds={"groups": groups})
        cells = [[float(games[groups == g].sum()), int(size)] for g, size in enumerate(sizes)]
        clusters.append([cells, float(fit.bse[0] ** 2)])
    return {"trends": trends, "rising": risings, "departures": departures, "homogeneity": alike, "clusters": clusters}


def likeliest(shares, condition):
    """Maximises Σ p ln q over distributions q with condition(q) = 0, from several starts."""
    best = None
    for start in (shares, np.full(len(shares), 1 / len(shares)), 0.5 * shares + 0.5 / len(shares)):
        found = optimize.minimize(
            lambda q: -(shares * np.log(q)).sum(), start, jac=lambda q: -shares / q, method="SLSQP", bounds=[(1e-12, 1)] * len(shares),
            constraints=[{"type": "eq", "fun": lambda q: q.sum() - 1}, {"type": "eq", "fun": condition}],
            options={"ftol": 1e-16, "maxiter": 1000},
        )
        if abs(condition(found.x)) < 1e-9 and (best is None or found.fun < best):
            best = found.fun
    return -best


def ratio(counts, elo0, elo1, model):
    counts = np.where(np.array(counts) == 0, 1e-3, np.array(counts, float))
    shares, m = counts / counts.sum(), len(counts)
    scores = np.arange(m) / (m - 1)
    scale = ELO * 2 / np.sqrt(2 if m == 5 else 1)

    def condition(elo):
        if model == "logistic":
            return lambda q: (scores * q).sum() - 1 / (1 + 10 ** (-elo / 400))

        def normalized(q):
            mean = (scores * q).sum()
            return mean - 0.5 - elo / scale * np.sqrt((q * (scores - mean) ** 2).sum())

        return normalized

    return counts.sum() * (likeliest(shares, condition(elo1)) - likeliest(shares, condition(elo0)))


def sprt():
    cases = [
        ([360, 686, 364], 0, 20), ([30, 40, 50], 0, 50), ([96, 111, 136], -5, 30), ([20, 60, 100, 70, 30], 0, 20),
        ([34, 54, 63, 64, 75], 0, 60), ([7, 30, 50, 20, 3], -30, 30), ([50, 3, 120], 0, 100), ([5, 80, 400, 95, 4], 0, 10),
    ]
    return [[counts, e0, e1, model, ratio(counts, e0, e1, model)] for counts, e0, e1 in cases for model in ("normalized", "logistic")]


def rate(players, games, prior, fixed_advantage, fixed_draw):
    """Ratings, advantage, draw parameter and their standard errors, in Elo, by a general optimiser with numerical derivatives."""
    results = np.zeros((players, players, 3))
    for first, second, losses, draws, wins in games:
        results[first, second] += [losses, draws, wins]
    between = results.sum(2) + results.sum(2).T
    virtual = np.zeros((players, players))
    for i in range(players):
        for j in range(players):
            brought = prior / 2 * (between[i, j] / between[i].sum() + between[i, j] / between[j].sum())
            virtual[i, j] = brought / 2  # half on either side of the board
    results[:, :, 1] += virtual
    free_advantage, free_draw = fixed_advantage is None, fixed_draw is None

    def unpack(x):
        ratings = np.append(x[: players - 1], -x[: players - 1].sum())
        rest = list(x[players - 1 :])
        advantage = rest.pop(0) if free_advantage else fixed_advantage / ELO
        draw = np.exp(rest.pop(0)) if free_draw else fixed_draw / ELO
        return ratings, advantage, draw

    def loss(x):
        ratings, advantage, draw = unpack(x)
        d = ratings[:, None] - ratings[None, :] + advantage
        win, lose = 1 / (1 + np.exp(draw - d)), 1 / (1 + np.exp(draw + d))
        if fixed_draw == 0:
            terms = (results[:, :, 2] + results[:, :, 1] / 2) * np.log(win) + (results[:, :, 0] + results[:, :, 1] / 2) * np.log(lose)
        else:
            terms = results[:, :, 2] * np.log(win) + results[:, :, 0] * np.log(lose) + results[:, :, 1] * np.log(1 - win - lose)
        wide = np.log(10) ** 2
        prior_terms = (advantage**2 / (2 * wide) if free_advantage else 0) + (draw**2 / (2 * wide) if free_draw else 0)
        return -terms.sum() + prior_terms

    start = np.zeros(players - 1 + free_advantage + free_draw)
    if free_draw:
        start[-1] = np.log(0.5)
    found = optimize.minimize(loss, start, method="BFGS", options={"gtol": 1e-9})
    found = optimize.minimize(loss, found.x, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-13, "maxiter": 40000, "maxfev": 40000})
    hessian = numerical_hessian(lambda y: loss(delog(y, free_draw)), enlog(found.x, free_draw))
    covariance = np.linalg.inv(hessian)
    spread = np.vstack([np.eye(players - 1), -np.ones(players - 1)])
    errors = np.sqrt(np.diag(spread @ covariance[: players - 1, : players - 1] @ spread.T)) * ELO
    ratings, advantage, draw = unpack(found.x)
    rest = list(np.sqrt(np.diag(covariance))[players - 1 :] * ELO)
    return {
        "ratings": (ratings * ELO).tolist(), "errors": errors.tolist(), "advantage": advantage * ELO, "draw": draw * ELO,
        "advantage_error": rest.pop(0) if free_advantage else 0, "draw_error": rest.pop(0) if free_draw else 0,
    }


def enlog(x, is_log):
    x = x.copy()
    if is_log:
        x[-1] = np.exp(x[-1])
    return x


def delog(x, is_log):
    x = x.copy()
    if is_log:
        x[-1] = np.log(x[-1])
    return x


def numerical_hessian(f, x, h=1e-3):
    n = len(x)
    unit = np.eye(n) * h
    hessian = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            a, b = unit[i], unit[j]
            fine = (f(x + a + b) - f(x + a - b) - f(x - a + b) + f(x - a - b)) / (4 * h * h)
            a, b = 2 * unit[i], 2 * unit[j]
            coarse = (f(x + a + b) - f(x + a - b) - f(x - a + b) + f(x - a - b)) / (16 * h * h)
            hessian[i, j] = (4 * fine - coarse) / 3
    return hessian


def schedule(players, rounds, draw_rate):
    strength = random.normal(0, 0.6, players)
    games = []
    for i in range(players):
        for j in range(players):
            if i != j and random.uniform() < 0.8:
                drawn = random.binomial(rounds, draw_rate)
                wins = random.binomial(rounds - drawn, 1 / (1 + np.exp(strength[j] - strength[i] - 0.15)))
                games.append([i, j, int(rounds - drawn - wins), int(drawn), int(wins)])
    return games


def ratings():
    cases = [
        (2, [[0, 1, 3, 2, 10], [1, 0, 6, 4, 5]], 2, None, None), (2, [[0, 1, 0, 0, 8]], 2, 0, 0), (3, [[0, 1, 0, 0, 8], [1, 2, 1, 2, 5]], 2, None, None),
        (5, schedule(5, 30, 0.3), 2, None, None), (5, schedule(5, 30, 0.3), 2, 32.8, 97.3), (6, schedule(6, 20, 0.0), 2, None, 0),
        (4, schedule(4, 50, 0.6), 5, None, None), (4, schedule(4, 50, 0.2), 2, 0, 0),
    ]
    return [
        {"players": n, "games": games, "prior": prior, "advantage_given": adv, "draw_given": draw, "expected": rate(n, games, prior, adv, draw)}
        for n, games, prior, adv, draw in cases
    ]


def bradley_terry():
    """Games without draws and advantage, rated by choix without any prior."""
    games = schedule(6, 200, 0.0)
    data = [(i, j) for i, j, _, _, wins in games for _ in range(wins)] + [(j, i) for i, j, losses, _, _ in games for _ in range(losses)]
    found = choix.opt_pairwise(6, data, alpha=0, method="Newton-CG", tol=1e-10)
    return {"players": 6, "games": games, "ratings": ((found - found.mean()) * ELO).tolist()}


def plain(value):
    """numpy's numbers as Python's, with the digits that matter."""
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, (float, np.floating)):
        return float(f"{value:.13g}")
    return int(value) if isinstance(value, np.integer) else value


def main():
    warnings.simplefilter("ignore")
    data = {
        "made_by": f"scipy {scipy.__version__}, statsmodels {statsmodels.__version__}, numpy {np.__version__}, choix {version('choix')}",
        "distributions": distributions(), "binomial": binomial(), "tables": tables(), "pairs": pairs(), "holm": holm(), "power": power(),
        "sprt": sprt(), "ratings": ratings(), "bradley_terry": bradley_terry(),
        "shapes": shapes(),
    }
    with open(TARGET, "w") as file:
        parts = (f'"{key}": {json.dumps(plain(value), separators=(",", ":"))}' for key, value in data.items())
        file.write("{\n" + ",\n".join(parts) + "\n}\n")


main()
