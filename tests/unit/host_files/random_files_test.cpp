// 2000 random calls against a simple model in memory: the same results, and the same files at the end.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>

#include "file_bench.hpp"

namespace {

using namespace trollius_os;  // NOLINT: the calls and their flags
using file_test::bytes;
using file_test::FileBench;

// Files by name; a folder has no content. Every call returns what the real one does; -1 for every error.
class Model {
public:
    std::int32_t open(const std::string& name, std::int32_t flags) {
        const bool is_there = all_.contains(name);
        const bool makes = (flags & open_flags::create) != 0;
        if (is_there ? !all_[name] || (makes && (flags & open_flags::exclusive) != 0) : !makes || !in_folder(name)) return -1;
        const auto free = std::find(used_.begin() + 3, used_.end(), nullptr);
        if (free == used_.end()) return -1;
        if (!is_there || (flags & open_flags::truncate) != 0) all_[name] = "";
        *free = std::make_shared<Open>(Open{name, 0, flags});
        return static_cast<std::int32_t>(free - used_.begin());
    }
    std::int32_t close(std::size_t file) {
        if (!used_[file]) return -1;
        used_[file] = nullptr;
        return 0;
    }
    std::int32_t dup(std::size_t file) {
        const auto free = std::find(used_.begin() + 3, used_.end(), nullptr);
        if (!used_[file] || free == used_.end()) return -1;
        *free = used_[file];
        return static_cast<std::int32_t>(free - used_.begin());
    }
    std::optional<std::string> read(std::size_t file, std::size_t most) {
        if (!used_[file] || (used_[file]->flags & 3) == open_flags::write_only) return std::nullopt;
        const std::string& content = *all_[used_[file]->name];
        std::string got = content.substr(std::min(content.size(), used_[file]->offset), most);
        used_[file]->offset += got.size();
        return got;
    }
    std::int32_t write(std::size_t file, const std::string& text) {
        if (!used_[file] || (used_[file]->flags & 3) == open_flags::read_only) return -1;
        std::string& content = *all_[used_[file]->name];
        std::size_t& at = used_[file]->offset;
        if ((used_[file]->flags & open_flags::append) != 0) at = content.size();
        content.resize(std::max(content.size(), at + text.size()));
        content.replace(at, text.size(), text);
        at += text.size();
        return static_cast<std::int32_t>(text.size());
    }
    std::int32_t seek(std::size_t file, std::size_t offset) {
        if (!used_[file]) return -1;
        used_[file]->offset = offset;
        return static_cast<std::int32_t>(offset);
    }
    std::int32_t truncate(const std::string& name, std::size_t length) {
        if (!all_.contains(name) || !all_[name]) return -1;
        all_[name]->resize(length);
        return 0;
    }
    std::int32_t make_folder(const std::string& name) {
        if (all_.contains(name) || !in_folder(name)) return -1;
        all_[name] = std::nullopt;
        return 0;
    }
    std::int32_t remove_folder(const std::string& name) {
        if (!all_.contains(name) || all_[name] || has_below(name)) return -1;
        return static_cast<std::int32_t>(all_.erase(name)) - 1;
    }
    std::int32_t remove(const std::string& name) {
        if (!all_.contains(name) || !all_[name] || is_open(name)) return -1;
        return static_cast<std::int32_t>(all_.erase(name)) - 1;
    }
    std::int32_t rename(const std::string& from, const std::string& to) {
        if (!all_.contains(from) || !in_folder(to) || to.starts_with(from + "/")) return -1;
        if (from == to) return 0;
        if (is_open(to)) return -1;
        if (all_.contains(to) && (all_[from].has_value() != all_[to].has_value() || has_below(to))) return -1;
        std::map<std::string, std::optional<std::string>> moved;
        for (const auto& [name, content] : all_)
            moved[at_or_below(name, from) ? to + name.substr(from.size()) : name] = content;
        if (all_.contains(to)) moved[to] = all_[from];
        all_ = moved;
        for (const auto& file : std::set(used_.begin(), used_.end()))
            if (file && at_or_below(file->name, from)) file->name = to + file->name.substr(from.size());
        return 0;
    }
    std::int32_t size(const std::string& name) const {
        const auto found = all_.find(name);
        return found == all_.end() ? -1 : static_cast<std::int32_t>(found->second.value_or("").size());
    }
    const std::map<std::string, std::optional<std::string>>& all() const { return all_; }

private:
    struct Open {
        std::string name;
        std::size_t offset = 0;
        std::int32_t flags = 0;
    };
    static bool at_or_below(const std::string& name, const std::string& folder) {
        return name == folder || name.starts_with(folder + "/");
    }
    bool in_folder(const std::string& name) const {
        const std::size_t slash = name.find_last_of('/');
        if (slash == std::string::npos) return true;
        const auto folder = all_.find(name.substr(0, slash));
        return folder != all_.end() && !folder->second;
    }
    bool has_below(const std::string& name) const {
        return std::any_of(all_.begin(), all_.end(), [&](const auto& one) { return one.first.starts_with(name + "/"); });
    }
    bool is_open(const std::string& name) const {
        return std::any_of(used_.begin(), used_.end(), [&](const auto& file) { return file && at_or_below(file->name, name); });
    }

    std::map<std::string, std::optional<std::string>> all_;
    std::array<std::shared_ptr<Open>, 32> used_;
};

class BothSides {
public:
    explicit BothSides(Api& api) : api_(api) {}
    const Model& model() const { return model_; }
    int succeeded() const { return succeeded_; }

    void step() {
        const std::string name = any_name();
        const std::int32_t file = 3 + static_cast<std::int32_t>(random_() % 12);
        const auto index = static_cast<std::size_t>(file);
        switch (random_() % 14) {
            case 0:
            case 1:
            case 2:
                return open(name);
            case 3:
                return same(rfclose(api_, file), model_.close(index), "close");
            case 4:
                return same(rfdup(api_, file), model_.dup(index), "dup");
            case 5:
            case 6:
                return read(file);
            case 7:
            case 8:
                return write(file);
            case 9: {
                const auto offset = static_cast<std::int32_t>(random_() % 8'000);
                return same(rflseek(api_, file, offset, 0), model_.seek(index, static_cast<std::size_t>(offset)), "lseek");
            }
            case 10: {
                const auto length = static_cast<std::int32_t>(random_() % 8'000);
                return same(rftruncate(api_, name, length), model_.truncate(name, static_cast<std::size_t>(length)),
                            "truncate");
            }
            case 11:
                if (random_() % 2 == 0) return same(rfmkdir(api_, name), model_.make_folder(name), "mkdir");
                return same(rfrmdir(api_, name), model_.remove_folder(name), "rmdir");
            case 12: {
                const std::string to = any_name();
                return same(rfrename(api_, name, to), model_.rename(name, to), "rename " + name + " " + to);
            }
            default:
                if (random_() % 2 == 0) return same(rfunlink(api_, name), model_.remove(name), "unlink");
                return look(name);
        }
    }

private:
    void same(std::int32_t got, std::int32_t wanted, const std::string& what) {
        EXPECT_EQ(std::max(got, -1), wanted) << what << " gave " << got;
        succeeded_ += got >= 0 ? 1 : 0;
    }
    void open(const std::string& name) {
        std::int32_t flags = static_cast<std::int32_t>(random_() % 3);
        if (random_() % 2 == 0) flags |= open_flags::create;
        if (random_() % 8 == 0) flags |= open_flags::exclusive;
        if (flags % 4 != 0 && random_() % 4 == 0) flags |= open_flags::truncate;
        if (flags % 4 != 0 && random_() % 4 == 0) flags |= open_flags::append;
        if (random_() % 8 == 0) flags |= open_flags::lock;
        same(rfopen(api_, name, flags), model_.open(name, flags), "open " + name + " " + std::to_string(flags));
    }
    void read(std::int32_t file) {
        const std::size_t most = random_() % 6'000;
        const auto wanted = model_.read(static_cast<std::size_t>(file), most);
        const std::string got = file_test::read_text(api_, file, most);
        if (wanted) {
            EXPECT_EQ(got, *wanted);
        } else {
            EXPECT_TRUE(got.starts_with("error "));
        }
    }
    void write(std::int32_t file) {
        std::string text(random_() % 6'000, ' ');
        for (char& c : text) c = static_cast<char>('a' + random_() % 26);
        same(rfwrite(api_, file, bytes(text)), model_.write(static_cast<std::size_t>(file), text), "write");
    }
    void look(const std::string& name) {
        FileFacts facts;
        const std::int32_t got = rfstat(api_, name, facts);
        same(got < 0 ? got : static_cast<std::int32_t>(facts.bytes), model_.size(name), "stat");
    }
    std::string any_name() {
        constexpr std::array<const char*, 9> names = {"a", "b", "d", "e", "d/a", "d/b", "d/e", "d/e/a", "e/a"};
        return names[random_() % names.size()];
    }

    Api& api_;
    std::mt19937 random_{7};
    Model model_;
    int succeeded_ = 0;
};

}  // namespace

TEST(RandomFiles, AreThoseOfTheModel) {
    FileBench bench;
    std::filesystem::remove_all(bench.base / "allowed/inner");
    std::string wanted;
    bench.on_node(2, [&](Api& api) {
        BothSides sides(api);
        for (int i = 0; i < 2'000 && !testing::Test::HasFailure(); ++i) sides.step();
        EXPECT_GT(sides.succeeded(), 700);
        for (const auto& [name, content] : sides.model().all()) {
            wanted += "allowed/" + name + " " + std::to_string(content ? S_IFREG | 0644 : S_IFDIR | 0755);
            wanted += content ? " = " + *content + "\n" : "\n";
        }
    });
    EXPECT_EQ(bench.tree("allowed"), wanted);
}
