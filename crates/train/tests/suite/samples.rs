//! Sample files: what is written is read, and what is wrong is refused by name.

use std::path::{Path, PathBuf};

use yomi_net::input::{Layout, PackedPosition};
use yomi_train::samples::{HEADER_BYTES, Sample, Writer, crc32, read};

fn path(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("yomi-samples-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

/// The samples of a made-up game.
fn game(number: u64, count: usize) -> Vec<Sample> {
    let sample = |i: usize| {
        let mut position = PackedPosition::EMPTY;
        position.0[i] = number as u8 + 1;
        let mut sample = Sample::new(number, 2 * i as u16, position);
        sample.result = (i % 3) as u8;
        (sample.value, sample.score, sample.surprise, sample.scored) = (0.25, -3.5, 0.125, true);
        sample.owned[1][3] = 7;
        sample.policy = vec![(17, 0.75), (3, 0.25)];
        sample
    };
    (0..count).map(sample).collect()
}

/// A file of two games with three samples and one.
fn two_games(name: &str, layout: Layout) -> PathBuf {
    let path = path(name);
    let mut writer = Writer::open(&path, layout).unwrap();
    writer.append(&mut game(8, 3)).unwrap();
    writer.append(&mut game(2, 1)).unwrap();
    path
}

fn refusal(path: &Path, game: Option<&str>) -> String {
    let message = read(path, game).unwrap_err().message;
    assert!(message.contains(path.to_str().unwrap()), "{message}");
    message
}

#[test]
fn what_is_written_is_read_in_order_of_games() {
    for layout in [Layout::Minishogi, Layout::Go(9), Layout::BlokusDuo, Layout::Shogi] {
        let path = two_games(&format!("order-{}", layout.id()), layout);
        let (header, samples) = read(&path, Some(&layout.game())).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().len() as usize, HEADER_BYTES + 4 * header.record);
        assert_eq!(
            samples.iter().map(|s| (s.game, s.index, s.count)).collect::<Vec<_>>(),
            [(2, 0, 1), (8, 0, 3), (8, 1, 3), (8, 2, 3)]
        );
        let last = &samples[3];
        assert_eq!((last.ply, last.result, last.value, last.score, last.surprise), (4, 2, 0.25, -3.5, 0.125));
        assert_eq!(last.position.0[2], 9);
        assert_eq!(last.owned[1][3], if matches!(layout, Layout::Go(_)) { 7 } else { 0 });
        assert!(last.policy[0].0 == 17 && (last.policy[0].1 - 0.75).abs() < 1e-4 && last.policy.len() == 2);
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn the_checksum_is_zlibs() {
    assert_eq!((crc32(b""), crc32(b"123456789")), (0, 0xCBF4_3926));
}

/// Cut at every byte: refused, except between games; and a writer goes on with the whole games.
#[test]
fn cut_files_are_refused_and_gone_on_with() {
    let path = two_games("cut", Layout::Minishogi);
    let whole = std::fs::read(&path).unwrap();
    let record = (whole.len() - HEADER_BYTES) / 4;
    for length in (0..whole.len()).step_by(7).chain([HEADER_BYTES + record, HEADER_BYTES + 2 * record]) {
        std::fs::write(&path, &whole[..length]).unwrap();
        let message = refusal(&path, None);
        assert!(message.contains("truncated"), "{length}: {message}");
        if length >= HEADER_BYTES {
            let writer = Writer::open(&path, Layout::Minishogi).unwrap();
            assert_eq!(writer.samples(), if length >= HEADER_BYTES + 3 * record { 3 } else { 0 });
            drop(writer);
            assert!(read(&path, None).is_ok());
        }
    }
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn damaged_doubled_and_foreign_samples_are_refused() {
    let path = two_games("bad", Layout::Minishogi);
    let whole = std::fs::read(&path).unwrap();
    let record = (whole.len() - HEADER_BYTES) / 4;
    let with = |bytes: Vec<u8>| {
        std::fs::write(&path, bytes).unwrap();
        refusal(&path, None)
    };
    for at in (HEADER_BYTES..whole.len()).step_by(13) {
        let mut bytes = whole.clone();
        bytes[at] ^= 16;
        let expected = format!("record {}: checksum", (at - HEADER_BYTES) / record + 1);
        assert!(with(bytes).contains(&expected));
    }
    let doubled = [&whole[..], &whole[HEADER_BYTES..]].concat();
    assert!(with(doubled).contains("record 5: game 8 is there twice"));
    let record_doubled = [&whole[..HEADER_BYTES + record], &whole[HEADER_BYTES..]].concat();
    assert!(with(record_doubled).contains("record 2: game 8 before it is not whole"));
    let without_first = [&whole[..HEADER_BYTES], &whole[HEADER_BYTES + record..]].concat();
    assert!(with(without_first).contains("record 1: sample 1 of game 8 does not follow the one before it"));
    std::fs::write(&path, &whole).unwrap();
    assert!(refusal(&path, Some("go9")).contains("these are samples of minishogi, not of go9"));
    assert!(Writer::open(&path, Layout::Go(9)).err().unwrap().message.contains("samples of minishogi, not of go9"));
    let mut writer = Writer::open(&path, Layout::Minishogi).unwrap();
    assert!(writer.append(&mut game(8, 1)).unwrap_err().message.contains("game 8 is there already"));
    std::fs::write(&path, b"PK...").unwrap();
    assert!(refusal(&path, None).contains("truncated"));
    std::fs::write(&path, vec![b'x'; 600]).unwrap();
    assert!(refusal(&path, None).contains("this is no sample file"));
    std::fs::remove_file(&path).unwrap();
}
